/**
 * Removes the password of a URL, its user name and its parameters, which may contain secrets too. Everything up to the
 * last `@` counts as the password, because people forget to escape it. A URL without `//` has none.
 */
export function withoutPassword(url: string): string {
  const [start] = /^\w+:\/\//.exec(url) ?? [];
  if (start === undefined) return url;
  const [place = ''] = url.slice(Math.max(start.length, url.lastIndexOf('@') + 1)).split('?', 1);
  return start + place;
}
