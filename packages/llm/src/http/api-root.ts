import { LlmError } from '../error.ts';

/**
 * Returns the address that paths such as `/chat/completions` are appended to, without a trailing slash. People paste a
 * bare host or the full address of an endpoint: `/v1` is added when there is no path, and a known endpoint is removed.
 *
 * @throws {LlmError} `bad-request` when it is not an http address, or contains a user name, a password or a query.
 */
export function apiRoot(baseUrl: string): string {
  const url = URL.parse(baseUrl.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new LlmError('bad-request', `The base URL "${withoutSecrets(baseUrl)}" is not an http address.`);
  }
  if (url.username || url.password) {
    throw new LlmError(
      'bad-request',
      `The base URL of ${url.host} contains a user name or password; pass a key or headers.`,
    );
  }
  if (url.search) throw new LlmError('bad-request', `The base URL of ${url.host} contains a query.`);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/(?:chat\/completions|responses|models)$/, '');
  return `${url.origin}${path || '/v1'}`;
}

/**
 * Base URL of a configured client, without query, credentials and trailing slash.
 *
 * @throws {LlmError} `bad-request` when it is not an address.
 */
export function clientRoot(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (!url)
    throw new LlmError('bad-request', `The base URL "${withoutSecrets(baseUrl)}" of the client is not an address.`);
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** Removes everything before an at sign, and the query. */
function withoutSecrets(address: string): string {
  const [start = ''] = address.replace(/^((?:[^/]|\/(?!\/))*\/\/)?[^]*@/, '$1').split('?', 1);
  return start;
}
