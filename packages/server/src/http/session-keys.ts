import { randomBytes } from 'node:crypto';
import { lazy } from '@varve/events';
import { isLoopback, parseJson } from '@varve/text';
import * as z from 'zod';
import type { ScopedKey } from '../access.ts';
import { ServerError } from '../error.ts';

/** Sources of keys. */
export interface SessionKeysOptions {
  /** Key of a command-line option. */
  readonly key?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address on which the server will listen. */
  readonly host: string;
  /** URL for other replicas, which have the same keys. */
  readonly address?: string | undefined;
}

/** Keys of a server. */
export interface SessionKeys {
  readonly keys: readonly string[];
  /** Those of VARVE_SCOPED_KEYS. */
  readonly scopedKeys?: readonly ScopedKey[];
  /** True if the key was generated and must be shown to the user. */
  readonly isGenerated: boolean;
}

/**
 * Returns the keys of a server: the option, else VARVE_SESSION_API_KEY, else OH_SESSION_API_KEYS_0, _1, …, else
 * SESSION_API_KEY, the older name of the reference, else a new random key. There is always one. Those of
 * VARVE_SCOPED_KEYS are further ones.
 *
 * @throws {ServerError} `key-needed` if other machines could reach the host, or are replicas, and no key is configured;
 * `invalid` for scoped keys that are no JSON list of keys.
 * @see agent-server 1.43.1 configuration, `session_api_keys` (without keys it requires none; varve always does)
 */
export function sessionKeys(options: SessionKeysOptions): SessionKeys {
  const listed = options.env['VARVE_SCOPED_KEYS'];
  if (!listed) return fullKeys(options);
  const scopedKeys = scoped().safeParse(parseJson(listed)).data;
  if (!scopedKeys)
    throw new ServerError('invalid', 'VARVE_SCOPED_KEYS is not [{"key":…,"owner":…,"scopes":["read",…]},…].');
  return { ...fullKeys(options), scopedKeys };
}

const scoped = lazy(() =>
  z.array(
    z.strictObject({
      key: z.string(),
      owner: z.string().optional(),
      scopes: z.array(z.enum(['read', 'run', 'admin'])),
    }),
  ),
);

function fullKeys({ key, env, host, address }: SessionKeysOptions): SessionKeys {
  const named = env['VARVE_SESSION_API_KEY'];
  const chosen = key ?? (named === '' ? undefined : named);
  const keys = chosen === undefined ? numbered(env) : [chosen];
  if (keys.length > 0) return { keys, isGenerated: false };
  if (address !== undefined) throw new ServerError('key-needed', 'Replicas need the same key, and none is configured.');
  if (!isLoopback(host)) {
    throw new ServerError('key-needed', `Other machines can reach ${host}, and no key is configured.`);
  }
  return { keys: [randomBytes(32).toString('base64url')], isGenerated: true };
}

function numbered(env: SessionKeysOptions['env']): readonly string[] {
  const keys: string[] = [];
  for (let next = env['OH_SESSION_API_KEYS_0']; next; next = env[`OH_SESSION_API_KEYS_${keys.length}`]) keys.push(next);
  const older = env['SESSION_API_KEY'];
  return keys.length === 0 && older ? [older] : keys;
}
