import type { SettingEntry } from '@varve/settings';
import { secretsOfConfig } from '@varve/settings/agent';
import { redactor } from '@varve/text';

/** Returns a setting as a list shows it: without the secrets that configurations of servers contain as they are. */
export function withoutSecrets(entry: SettingEntry): SettingEntry {
  if (entry.key !== 'mcp_servers') return entry;
  const all = [entry, ...entry.hidden].map(({ value }) => value as Readonly<Record<string, never>>);
  const secrets = all.flatMap((servers) => Object.values(servers).flatMap(secretsOfConfig));
  return redactor(secrets, { replacement: '<secret-hidden>' }).value(entry);
}
