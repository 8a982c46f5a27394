import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { receivedLlm, storeKey, type LlmRecord } from './llm-record.ts';
import { connectionsOf } from './provider-connections.ts';
import { hasKey } from './model-of-record.ts';
import type { ServerSettings } from './server-settings.ts';
import { activeProfile } from './settings-document.ts';

/** @see agent-server 1.43.1 OpenAPI, ProfileInfo */
const profileInfo = lazy(() =>
  z
    .object({
      name: z.string(),
      model: z.string().nullable(),
      base_url: z.string().nullable(),
      provider_connection_id: z.string().nullable(),
      provider_connection_broken: z.boolean(),
      api_key_set: z.boolean(),
    })
    .openapi('ProfileInfo'),
);

/** Profiles as clients list them. */
export const profileList = lazy(() =>
  z.object({ profiles: z.array(profileInfo()), active_profile: z.string().nullable() }),
);

/** Lists the profiles that can be read. */
export async function listedProfiles(settings: ServerSettings): Promise<z.output<ReturnType<typeof profileList>>> {
  const profiles = await settings.models.readable();
  const connections = await connectionsOf(settings);
  return {
    profiles: await Promise.all(
      profiles.map(async ({ name, record }) => ({
        name,
        model: textOf(record['model']),
        base_url: textOf(record['base_url']),
        provider_connection_id: textOf(record['provider_connection_id']),
        provider_connection_broken: isBroken(record['provider_connection_id'], connections),
        api_key_set: hasKey({ record, key: await keyOrNone(settings, record) }, settings.env),
      })),
    ),
    active_profile: (await activeProfile(settings, await settings.current())) ?? null,
  };
}

function isBroken(id: unknown, connections: ReadonlyMap<string, unknown>): boolean {
  return typeof id === 'string' && !connections.has(id);
}

/** Returns undefined also for a key that can no longer be read. */
async function keyOrNone(settings: ServerSettings, record: LlmRecord): Promise<string | undefined> {
  try {
    return await settings.keyOf(record);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * Adds or replaces a profile. Without `include_secrets`, and with a redacted key, the stored key is kept.
 *
 * @throws {SettingsError} `invalid`.
 */
export async function saveProfile(
  settings: ServerSettings,
  name: string,
  { llm, include_secrets: takesKey }: { readonly llm: LlmRecord; readonly include_secrets: boolean },
): Promise<void> {
  const { record, key } = receivedLlm({ model: 'gpt-5.5', ...llm }, await settings.cipher());
  const before = (await settings.models.readable()).find((each) => each.name === name);
  const stored = before?.record['api_key_ref'];
  const isErased = takesKey && llm['api_key'] === null;
  const reference =
    takesKey && key !== undefined ? await storeKey(settings.secrets, key, stored) : isErased ? null : stored;
  await settings.models.replace(name, { ...record, ...(typeof reference === 'string' && { api_key_ref: reference }) });
}

/** Removes a profile and its key. @throws {SettingsError} `invalid` while an agent profile names it. */
export async function removeProfile(settings: ServerSettings, name: string): Promise<void> {
  const entry = (await settings.models.readable()).find((each) => each.name === name);
  await settings.models.remove(name);
  if (entry) await settings.forgetKey(entry.record);
}
