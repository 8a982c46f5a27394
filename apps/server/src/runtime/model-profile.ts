import { SettingsError } from '@varve/settings';
import { modelProfiles, storedKeyOf } from '@varve/settings/profiles';
import { secretStore } from '@varve/settings/secrets';
import type { Variables } from '@varve/text';
import { RequestError } from '../request-error.ts';

/** Options of {@link modelOfProfile}. */
export interface ModelOfProfileOptions {
  /** Data directory; a server without one has no profiles. */
  readonly home?: string | undefined;
  readonly env: Variables;
}

/**
 * Returns the model of a profile in the reference's JSON, with its key: one that the profile contains, or refers to.
 *
 * @throws {RequestError} `unknown` for a missing profile, `unsupported` for an invalid name.
 * @see agent-server 1.43.1 switch_profile
 */
export async function modelOfProfile(
  name: string,
  { home, env }: ModelOfProfileOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const missing = (cause?: unknown): RequestError =>
    new RequestError('unknown', `Profile '${name}' not found`, { cause });
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new RequestError('unsupported', `${JSON.stringify(name.slice(0, 100))} is not the name of a profile.`);
  }
  if (home === undefined) throw missing();
  try {
    const { schema_version: _, api_key_ref: ref, ...record } = await modelProfiles(home).read(name);
    const key = storedKeyOf(record) ?? (typeof ref === 'string' ? await referencedKey(ref, home, env) : undefined);
    return { ...record, api_key: key ?? null, usage_id: `profile:${name}` };
  } catch (cause) {
    if (cause instanceof SettingsError && cause.code === 'missing') throw missing(cause);
    throw cause;
  }
}

/** Returns the value of `env:NAME` or `secret:NAME`. */
async function referencedKey(ref: string, home: string, env: Variables): Promise<string | undefined> {
  const [kind = '', name = ''] = ref.split(':');
  return kind === 'env' ? env[name] : secretStore({ home }).value(name);
}
