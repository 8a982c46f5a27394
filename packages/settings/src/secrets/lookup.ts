import { isLoopback } from '@varve/text';
import { SettingsError } from '../error.ts';
import type { SecretSource } from './secret-source.ts';

/** Parts of the network that a lookup uses. */
export interface LookupOptions {
  readonly fetch?: typeof fetch;
  /** Base of relative addresses; default `http://127.0.0.1:8000`. */
  readonly internalUrl?: string;
  readonly signal?: AbortSignal;
  /** Longest lookup; default 30 seconds. */
  readonly timeoutMs?: number;
}

const maxBytes = 64 * 1024;
const maxRedirects = 3;

/**
 * Returns the value of a source: the body of the reply for a lookup, exactly as the server sends it. Redirects are
 * followed only within the same origin, because the headers contain credentials, and only HTTPS and servers of this
 * machine are asked.
 *
 * @throws {SettingsError} `invalid` for an address that is not allowed, `io` for a lookup that failed. The message has
 * neither the value nor more of the address than its host.
 * @see software-agent-sdk LookupSecret
 */
export async function valueOf(source: SecretSource, options: LookupOptions = {}): Promise<string> {
  if (source.kind === 'StaticSecret') return source.value;
  const { fetch: send = fetch, internalUrl = 'http://127.0.0.1:8000', timeoutMs = 30_000, signal } = options;
  let url: URL = checkedUrl(source.url, internalUrl);
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  const request: RequestInit = { headers: source.headers, redirect: 'manual', signal: AbortSignal.any(signals) };
  for (let redirects = 0; ; redirects++) {
    const reply = await send(url.href, request).catch((error: unknown) => failed(url, 'it cannot be reached', error));
    const target = reply.status >= 300 && reply.status < 400 ? reply.headers.get('location') : undefined;
    if (target === undefined || target === null) return bodyOf(reply, url);
    await reply.body?.cancel();
    const next = URL.parse(target, url.href);
    if (next?.origin !== url.origin) throw failure(url, 'it redirects to another server');
    if (redirects === maxRedirects) throw failure(url, 'it redirects too often');
    url = next;
  }
}

function checkedUrl(address: string, base: string): URL {
  const url = URL.parse(address, base);
  if (!url) throw new SettingsError('invalid', 'The address of a secret is invalid.');
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.href));
  if (!isAllowed)
    throw new SettingsError('invalid', `A secret is not read from ${url.protocol}//${url.host}: HTTPS is required.`);
  if (url.username !== '' || url.password !== '')
    throw new SettingsError('invalid', `The address of a secret at ${url.host} contains a user name or password.`);
  return url;
}

async function bodyOf(reply: Response, url: URL): Promise<string> {
  if (!reply.ok || !reply.body) {
    await reply.body?.cancel();
    throw failure(url, `its status is ${reply.status}`);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of reply.body) {
      size += piece.length;
      if (size > maxBytes) throw failure(url, `it has more than ${maxBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    return failed(url, 'it cannot be read', error);
  }
  const value = Buffer.concat(pieces).toString('utf8');
  if (value === '' || value.includes('\0')) throw failure(url, 'it is empty or contains a null character');
  return value;
}

function failure(url: URL, reason: string, cause?: unknown): SettingsError {
  return new SettingsError('io', `The secret at ${url.host} is not available: ${reason}.`, { cause });
}

/** The message of the cause may contain headers, so it is not kept. */
function failed(url: URL, reason: string, error: unknown): never {
  const { name, cause } = error instanceof Error ? error : new Error();
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : name;
  throw failure(url, `${reason} (${code})`);
}
