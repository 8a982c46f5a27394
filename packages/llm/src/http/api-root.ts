import { LlmError } from '../error.ts';

/**
 * The address that paths such as `/chat/completions` are appended to, without a trailing slash. People paste a bare
 * host, or the full address of one endpoint: `/v1` is added when there is no path, a known endpoint is taken off.
 *
 * @throws {LlmError} `bad-request` when it is not an http address, or holds a user name, a password or a query.
 */
export function apiRoot(baseUrl: string): string {
  const url = URL.parse(baseUrl.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new LlmError('bad-request', `The base URL "${withoutSecrets(baseUrl)}" is not an http address.`);
  }
  if (url.username || url.password) {
    throw new LlmError(
      'bad-request',
      `The base URL of ${url.host} holds a user name or password; pass a key or headers.`,
    );
  }
  if (url.search)
    throw new LlmError('bad-request', `The base URL of ${url.host} holds a query, which has no place in it.`);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(?:chat\/completions|responses|models)$/, '');
  return `${url.origin}${path || '/v1'}`;
}

/** Without what stands before an at sign, whatever it is, and without the query. */
function withoutSecrets(address: string): string {
  return address.replace(/^(.*?\/\/)?.*@/s, '$1').replace(/\?.*$/s, '');
}
