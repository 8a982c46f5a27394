import { randomBytes } from 'node:crypto';
import { isLoopback } from '@varve/llm';
import { ServerError } from './error.ts';

/** Where keys may come from. */
export interface SessionKeysOptions {
  /** The key that was typed. */
  readonly key?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the server will listen. */
  readonly host: string;
}

/** The keys of a server, and whether somebody has to be told them. */
export interface SessionKeys {
  readonly keys: readonly string[];
  /** The key was made here: nobody knows it yet. */
  readonly isGenerated: boolean;
}

/**
 * The keys to serve with: the one typed, else VARVE_SESSION_API_KEY, else OH_SESSION_API_KEYS_0, _1, …, else a new random
 * one. There is always one.
 *
 * @throws {ServerError} `key-needed` when other machines could reach the host and nobody chose a key.
 * @see agent-server 1.43.1 configuration, `session_api_keys` (without keys it serves everybody; we never do)
 */
export function sessionKeys({ key, env, host }: SessionKeysOptions): SessionKeys {
  const named = env['VARVE_SESSION_API_KEY'];
  const chosen = key ?? (named === '' ? undefined : named);
  const keys = chosen === undefined ? numbered(env) : [chosen];
  if (keys.length > 0) return { keys, isGenerated: false };
  if (!isLoopback(host)) {
    throw new ServerError('key-needed', `Other machines can reach ${host}, and no key was chosen for it.`);
  }
  return { keys: [randomBytes(32).toString('base64url')], isGenerated: true };
}

function numbered(env: SessionKeysOptions['env']): readonly string[] {
  const keys: string[] = [];
  for (let next = env['OH_SESSION_API_KEYS_0']; next; next = env[`OH_SESSION_API_KEYS_${keys.length}`]) keys.push(next);
  return keys;
}
