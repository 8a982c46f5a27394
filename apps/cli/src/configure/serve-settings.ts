import type { FlagValue, SettingKey, Settings } from '@varve/settings';
import { settingsTable } from './settings-table.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { settingsFor } from '../home/settings.ts';

const flags = {
  host: ['server.host', '--host'],
  port: ['server.port', '--port'],
  store: ['store', '--store'],
  address: ['server.address', '--address'],
  allowHost: ['server.allowed_hosts', '--allow-host'],
  allowOrigin: ['server.allowed_origins', '--allow-origin'],
  fileRoot: ['server.file_roots', '--file-root'],
  maxRuns: ['server.max_runs', '--max-runs'],
  openMetrics: ['server.open_metrics', '--open-metrics'],
  deferred: ['server.deferred', '--deferred'],
  logLevel: ['server.log_level', '--log-level'],
  sandbox: ['sandbox.profile', '--sandbox'],
  workspaceServer: ['workspace.server', '--workspace-server'],
} as const satisfies Readonly<Record<string, readonly [key: SettingKey, flag: string]>>;

/** Options of `varve serve` that are settings. */
export type ServeFlags = Readonly<Partial<Record<keyof typeof flags, unknown>>>;

/** Resolves the settings of a server from its flags, its environment and the user's file. */
export async function serveSettings(options: ServeFlags, io: TerminalIo): Promise<Settings> {
  const values = Object.entries(flags).flatMap(([option, [key, flag]]): readonly FlagValue[] => {
    const value = options[option as keyof ServeFlags];
    return value === undefined ? [] : [{ key, value, flag }];
  });
  return settingsFor(io, { flags: values });
}

/** Prints the settings of a server with their places, and where its key comes from, never the key. */
export async function printServeSettings(
  settings: Settings,
  keyOrigin: string | undefined,
  io: TerminalIo,
): Promise<void> {
  // Loads the agent, which the help of the command does not need.
  const { withoutSecrets } = await import('./without-secrets.ts');
  const entries = settings.entries.filter(({ key }) => /^(?:server|sandbox|workspace)\./.test(key) || key === 'store');
  for (const line of settingsTable(entries.map(withoutSecrets), io)) io.stdout.line(line);
  io.stdout.line(keyOrigin === undefined ? 'The key is generated at the start.' : `The key is that of ${keyOrigin}.`);
}

/** Returns where the key of a server comes from; undefined if it is generated. */
export function keyOriginOf(key: string | undefined, { env }: TerminalIo): string | undefined {
  if (key !== undefined) return '--key';
  return ['VARVE_SESSION_API_KEY', 'OH_SESSION_API_KEYS_0', 'SESSION_API_KEY'].find((name) => env[name]);
}
