import { LlmError } from '../error.ts';
import { nodeHttp } from './node-http.ts';

/** Headers of each request: key, content types, and those of the options. */
export interface HeaderOptions {
  readonly apiKey?: string;
  /** Replace the headers of this package with the same name. */
  readonly headers?: Readonly<Record<string, string>>;
}

const noKey = 'none';

/**
 * Headers of every request, with lower-case names. Without a key, `Bearer none` is sent: some servers that need no key
 * reject a request that has none.
 *
 * @throws {LlmError} `bad-request` for a header and `unauthenticated` for a key with characters that HTTP does not
 * allow.
 */
export function requestHeaders({ apiKey, headers = {} }: HeaderOptions): Readonly<Record<string, string>> {
  const merged: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'varve',
    authorization: `Bearer ${checkedKey(apiKey)}`,
  };
  for (const [name, value] of Object.entries(headers)) {
    if (!isValidHeader(name, value)) {
      // The value is left out of the message: it may be a secret.
      throw new LlmError(
        'bad-request',
        `The header ${JSON.stringify(name)} contains a character that is not allowed in HTTP headers.`,
      );
    }
    merged[name.toLowerCase()] = value.trim();
  }
  return merged;
}

/**
 * The key without surrounding white space; `none` when it is missing or blank.
 *
 * @throws {LlmError} `unauthenticated` for a key with characters that no header can contain.
 */
function checkedKey(apiKey = ''): string {
  const key = apiKey.trim() || noKey;
  if (/^[\x21-\x7E]+$/.test(key)) return key;
  throw new LlmError('unauthenticated', 'The API key contains a character that is not allowed in HTTP headers.');
}

function isValidHeader(name: string, value: string): boolean {
  try {
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, value.trim());
    return true;
  } catch {
    return false;
  }
}

/** Credentials in headers, without their scheme; of `Basic` also the decoded login and its password. */
export function secretsInHeaders(headers: Iterable<readonly [string, string]>): readonly string[] {
  return [...headers].flatMap(([name, value]) => {
    if (!/auth|key|token|secret|cookie/i.test(name) || value === `Bearer ${noKey}`) return [];
    const bare = value.replace(/^(?:basic|bearer|token|api-?key) +/i, '');
    const login = /^basic /i.test(value) ? Buffer.from(bare, 'base64').toString() : '';
    return [bare, login, login.slice(login.indexOf(':') + 1)].filter((secret) => secret !== '');
  });
}
