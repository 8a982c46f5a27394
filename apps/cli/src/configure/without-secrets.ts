import type { SettingEntry } from '@varve/settings';
import { secretsOfConfig } from '@varve/settings/agent';
import { redactor, withoutPassword } from '@varve/text';

/**
 * Returns a setting as a list shows it: without the secrets that configurations of servers, and the URL of the store,
 * contain as they are.
 */
export function withoutSecrets(entry: SettingEntry): SettingEntry {
  if (entry.key === 'store') {
    const hidden = entry.hidden.map((other) => ({ ...other, value: withoutPassword(String(other.value)) }));
    return { ...entry, value: withoutPassword(String(entry.value)), hidden };
  }
  if (entry.key !== 'mcp_servers') return entry;
  const all = [entry, ...entry.hidden].map(({ value }) => value as Readonly<Record<string, never>>);
  const secrets = all.flatMap((servers) => Object.values(servers).flatMap(secretsOfConfig));
  return redactor(secrets, { replacement: '<secret-hidden>' }).value(entry);
}
