import type { Json } from '@varve/events';
import type { Settings } from '@varve/settings';
import type { ModelProfiles } from '@varve/settings/profiles';

/** Returns the addresses of models in the settings, connections and profiles of a person, as they are written. */
export async function personAddresses(settings: Settings, profiles: ModelProfiles): Promise<readonly string[]> {
  const connections = Object.values(settings.get('reference.provider_connections') ?? {});
  const records = (await profiles.list()).flatMap((each) => ('record' in each ? [each.record] : []));
  return [settings.get('llm.base_url'), ...[...connections, ...records].map(addressOf)].flatMap(
    (address) => address ?? [],
  );
}

function addressOf(record: Json): string | undefined {
  const address =
    typeof record === 'object' && record !== null && 'base_url' in record ? record['base_url'] : undefined;
  return typeof address === 'string' ? address : undefined;
}
