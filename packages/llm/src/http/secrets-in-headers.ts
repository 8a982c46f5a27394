/** What stands in headers that let people in, without the word before it, and what `Basic` says in base64. */
export function secretsInHeaders(headers: Iterable<readonly [string, string]>): readonly string[] {
  return [...headers].flatMap(([name, value]) => {
    if (!/auth|key|token|secret|cookie/i.test(name) || value === 'Bearer none') return [];
    const bare = value.replace(/^(?:basic|bearer|token|api-?key) +/i, '');
    const login = /^basic /i.test(value) ? Buffer.from(bare, 'base64').toString() : '';
    return [bare, login, login.slice(login.indexOf(':') + 1)].filter((secret) => secret !== '');
  });
}
