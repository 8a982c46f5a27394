import { nativeModels } from '@varve/llm/kit';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeDirectories } from '@varve/files';
import { otlpFrom } from '@varve/host/otlp';
import { useNetwork } from '@varve/llm/network';
import { optionsOfSettings, server, sessionKeys } from '@varve/server';
import { resolveSettings } from '@varve/settings';
import { openStore, type EventStore, type StoreScheme } from '@varve/storage';
import { directoryScheme } from '@varve/storage/directory';
import { sqliteScheme } from '@varve/storage/sqlite';
import type { Variables } from '@varve/text';
import type { Flags } from './flags.ts';

/** Serves with the settings of flags, environment and the user's file until SIGINT or SIGTERM. */
export async function serve({ key, values }: Flags, env: Variables): Promise<void> {
  for (const notice of useNetwork(env)) process.stderr.write(`${notice}\n`);
  const home = env['VARVE_HOME'] ? resolve(env['VARVE_HOME']) : join(env['HOME'] ?? homedir(), '.varve');
  const settings = await resolveSettings({ home, env, flags: values });
  const options = optionsOfSettings(settings);
  const { isGenerated, ...keys } = sessionKeys({ key, env, ...options });
  await using store = await opened(settings.get('store'), home);
  await using spans = await otlpFrom(env, (problem) => process.stderr.write(`varve-agent-server: ${problem}\n`));
  const level = settings.get('server.log_level') ?? 'info';
  const native = nativeModels((name) => import(name));
  const log = { level, stream: process.stderr };
  const serving = server({ ...options, store, ...keys, home, env, native, log, spans });
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await using listening = await serving.listen(settings.get('server.port') ?? 8000);
  const keyLine = isGenerated ? `X-Session-API-Key: ${keys.keys.join(', ')}\n` : '';
  // One write, so that a program that reads the address receives the key too.
  process.stderr.write(`varve-agent-server serves ${listening.url}\n${keyLine}`);
  await stopped;
  // A store that does not answer would be waited for longer than service managers wait.
  setTimeout(() => process.exit(), 25_000).unref();
}

async function opened(url: string | undefined, home: string): Promise<EventStore> {
  makeDirectories(home, 0o700);
  const schemes = { dir: directoryScheme, sqlite: sqliteScheme, postgres, postgresql: postgres };
  return openStore(url ?? `sqlite:${join(home, 'varve.db')}`, schemes);
}

// Loaded when it is named, so that every other store starts without a client of databases.
const postgres: StoreScheme = async (rest) => (await import('@varve/storage-postgres')).postgresScheme(rest);
