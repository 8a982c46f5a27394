/** Source of a package without the user name and password of its address. */
export interface SourceAddress {
  readonly source: string;
  /** Value of the header `Authorization`, for the server of the address only. */
  readonly authorization?: string;
}

/**
 * Separates the user name and password of an address from it: other users can read the arguments of a program, and
 * records of packages are listed.
 */
export function sourceAddress(source: string): SourceAddress {
  const url = /^https?:/i.test(source) ? URL.parse(source) : null;
  if (!url || (url.username === '' && url.password === '')) return { source };
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  return { source: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
