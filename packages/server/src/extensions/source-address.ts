/** Source of a package without the user name and password of its address. */
export interface SourceAddress {
  readonly source: string;
  /** For the server of the address only. */
  readonly credentials?: Credentials;
}

/** User name and password; each may be empty. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Separates the user name and password of an address from it: other users can read the arguments of a program, and
 * records of packages are listed.
 */
export function sourceAddress(source: string): SourceAddress {
  const url = /^https?:/i.test(source) ? URL.parse(source) : null;
  if (!url || (url.username === '' && url.password === '')) return { source };
  const credentials = { username: decoded(url.username), password: decoded(url.password) };
  url.username = '';
  url.password = '';
  return { source: url.href, credentials };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
