import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome, runVarve } from './run-varve.ts';

const main = appMain('cli');
const rounds = 60;

/** Runs one command, and kills it after some time. Returns true if it ended by itself, with success. */
async function attempt(home: string, args: readonly string[], killAfterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end('secret-value-0123');
  const exited = once(child, 'exit');
  const kill = new AbortController();
  const killed = sleep(killAfterMs, undefined, { signal: kill.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  const [code] = await exited;
  kill.abort();
  await killed;
  return code === 0;
}

/** What one writer knows: the last value of its setting that was acknowledged, and the names that were. */
interface Writer {
  readonly name: string;
  readonly key: string;
  acknowledged: number;
  attempted: number;
  readonly names: string[];
}

/** Writes a setting, a profile, a rule and a secret in each round. */
async function write(writer: Writer, home: string): Promise<number> {
  let kills = 0;
  const start = performance.now();
  await attempt(home, ['config', 'list'], 60_000);
  // Two of three are killed, however fast the machine is.
  const longestMs = 1.5 * (performance.now() - start);
  for (let round = 1; round <= rounds; round++) {
    const name = `${writer.name}${round}`;
    const commands = [
      ['config', 'set', writer.key, String(round)],
      ['profile', 'save', name, 'model=ollama/m'],
      ['permissions', 'add', '--user', 'allow', 'command', name],
      ['secret', 'set', name],
    ];
    const command = commands[round % commands.length] ?? [];
    const isSetting = command[0] === 'config';
    if (isSetting) writer.attempted = round;
    const isDone = await attempt(home, command, Math.random() * longestMs);
    if (!isDone) kills++;
    else if (isSetting) writer.acknowledged = round;
    else writer.names.push(name);
  }
  return kills;
}

test('two commands that are killed at random moments while they write lose no setting, profile, rule or secret', async () => {
  const home = await newHome();
  const writers: readonly Writer[] = [
    { name: 'a', key: 'budget.steps', acknowledged: 0, attempted: 0, names: [] },
    { name: 'b', key: 'budget.tokens', acknowledged: 0, attempted: 0, names: [] },
  ];
  const kills = await Promise.all(writers.map((writer) => write(writer, home)));
  expect(Math.min(...kills)).toBeGreaterThan(5);
  const listings = [['config', 'list', '--json'], ['profile'], ['permissions', 'list'], ['secret', 'list']];
  const invocations = await Promise.all(listings.map((args) => runVarve(args, { home })));
  expect(invocations.map(({ code, stderr }) => [code, stderr.includes('varve:')])).toEqual(
    listings.map(() => [0, false]),
  );
  const names = invocations
    .slice(1)
    .map(({ stdout }) => stdout)
    .join('\n');
  for (const writer of writers) {
    expect(writer.names.filter((name) => !new RegExp(`\\b${name}\\b`).test(names))).toEqual([]);
    const value = Number((await runVarve(['config', 'get', writer.key], { home })).stdout);
    const isKept = value >= writer.acknowledged && value <= writer.attempted;
    expect(writer.acknowledged === 0 || isKept).toBe(true);
  }
  expect((await runVarve(['config', 'set', 'concurrency', '2'], { home })).code).toBe(0);
  // What a killed process leaves is a temporary file, which no reader mistakes for a profile.
  const files = readdirSync(join(home, '.varve')).filter((name) => name.endsWith('.json'));
  for (const file of files)
    expect(() => JSON.parse(readFileSync(join(home, '.varve', file), 'utf8')) as unknown).not.toThrow();
});
