import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { resolveSettings } from '@varve/settings';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
const serverProgram = fileURLToPath(new URL('settings-server-process.ts', import.meta.url));

/** Parameters of a round. */
export interface SettingsWritersOptions {
  /** Milliseconds after which each command is killed; undefined to let it end. */
  readonly killCommandsAfterMs: readonly (number | undefined)[];
  /** Changes that the server answers before it is killed. */
  readonly serverChanges: number;
}

/** Settings that were acknowledged, and those that are stored. */
export interface SettingsWriters {
  readonly lostServerKeys: readonly string[];
  /** Last value that a command stored before it ended, and the value in the file, for each of two commands. */
  readonly commands: readonly { readonly acknowledged: number; readonly stored: number }[];
}

/**
 * Lets two sequences of commands and a server change one data directory concurrently, kills them, and reads the
 * settings, which fails if the file is damaged.
 */
export async function settingsWriters(options: SettingsWritersOptions): Promise<SettingsWriters> {
  const home = await mkdtemp(join(tmpdir(), 'varve-writers-'));
  const keys = ['budget.tokens', 'budget.calls'] as const;
  const [server, ...acknowledged] = await Promise.all([
    killedServer(home, options.serverChanges),
    ...keys.map((key) => commands(home, key, options.killCommandsAfterMs)),
  ]);
  const settings = await resolveSettings({ home, env: {} });
  const misc = (settings.get('reference.misc_settings') ?? {}) as {
    readonly written?: Readonly<Record<string, number>>;
  };
  const stored = Object.keys(misc.written ?? {});
  return {
    lostServerKeys: server.filter((key) => !stored.includes(key)),
    commands: keys.map((key, index) => ({ acknowledged: acknowledged[index] ?? 0, stored: settings.get(key) ?? 0 })),
  };
}

/** Runs `config set KEY 1`, `2` …, and returns the last value whose command ended with success. */
async function commands(
  home: string,
  key: string,
  kills: SettingsWritersOptions['killCommandsAfterMs'],
): Promise<number> {
  let last = 0;
  for (const [index, killAfterMs] of kills.entries()) {
    const args = [main, 'config', 'set', key, String(index + 1)];
    const env = processEnvironment(home, { VARVE_HOME: home });
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const exited = once(child, 'exit');
    if (killAfterMs !== undefined) await Promise.race([exited, delay(killAfterMs)]);
    if (killAfterMs !== undefined) child.kill('SIGKILL');
    await exited;
    if (child.exitCode === 0) last = index + 1;
  }
  return last;
}

async function killedServer(home: string, changes: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--conditions=@varve/source', serverProgram, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const keys: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    keys.push(line);
    // The server is somewhere in its next change by now.
    if (keys.length === changes) child.kill('SIGKILL');
  }
  await exited;
  return keys;
}
