import assert from 'node:assert/strict';
import { thisProcess } from '../src/kit/holder.ts';
import { RootedStore } from '../src/directory/rooted-store.ts';
import type { EventStore } from '../src/contract/store.ts';
import { crashedId, type CrashScenario } from './crash-scenarios.ts';
import { type Crash, type VolatileFiles, volatileFiles } from './volatile-files.ts';

/** A holder with a pid above the maximum of Linux, so that every process regards it as dead. */
const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

/** Longest lease that a timer can renew, after a third of it: a process that crashed must not renew its lease. */
const leaseMs = 3 * 2 ** 31 - 3;

/** Returns a directory store whose holder counts as dead for the next store. */
export function storeOver(files: VolatileFiles): EventStore {
  const options = { root: '/srv/root', leaseMs, pollMs: 250, now: () => Date.now(), holder: dead };
  return new RootedStore({ ...options, files, warn: () => {} });
}

/** Returns the number of file system calls of a scenario without failures. */
export async function callsOf(scenario: CrashScenario): Promise<number> {
  const files = volatileFiles();
  await scenario.run(storeOver(files), []);
  return files.calls;
}

/** A file system call at which the process crashes. */
export interface CrashPoint {
  /** Number of the call. This call and all later ones do nothing. */
  readonly call: number;
  readonly crash: Crash;
  /** Number of the call at which the first recovery crashes too. */
  readonly recoveryCall?: number;
}

/**
 * Runs a scenario until it crashes, recovers twice, and checks the result. Throws an error that names the crash point.
 */
export async function checkCrashPoint(scenario: CrashScenario, point: CrashPoint): Promise<void> {
  const files = volatileFiles();
  files.dieAt(point.call);
  const acknowledged: string[] = [];
  await scenario.run(storeOver(files), acknowledged).catch(() => {});
  let survivor = files.survivor(point.crash);
  if (point.recoveryCall !== undefined) {
    survivor.dieAt(point.recoveryCall);
    await openOnce(survivor, scenario).catch(() => {});
    survivor = survivor.survivor(point.crash);
  }
  try {
    await openOnce(survivor, scenario);
    const once = contents(survivor);
    await openOnce(survivor, scenario);
    assert.deepEqual(contents(survivor), once, 'a second recovery changed something');
    await scenario.check(storeOver(survivor), acknowledged);
  } catch (error) {
    throw new Error(`${scenario.name}, ${JSON.stringify(point)}`, { cause: error });
  }
}

async function openOnce(files: VolatileFiles, { isCut }: CrashScenario): Promise<void> {
  await using store = storeOver(files);
  await store.open(crashedId).catch((error: { readonly code?: string }) => {
    if (error.code !== 'missing' && !(isCut && error.code === 'incomplete')) throw error;
  });
}

/** Returns the contents of a conversation's files by path, without the epochs. */
function contents(files: VolatileFiles): Readonly<Record<string, string>> {
  const root = `/srv/root/${crashedId}`;
  const directory = `${root}/.varve`;
  const paths = ['events', '.varve/quarantine', '.varve/labels', '.varve/snapshots'].flatMap((name) =>
    files.list(`${root}/${name}`).map((file) => `${root}/${name}/${file}`),
  );
  const single = [`${root}/base_state.json`, `${root}/meta.json`, `${directory}/meta.json`, `${directory}/seals.jsonl`];
  return Object.fromEntries([...paths, ...single].map((path) => [path, files.read(path)?.toString() ?? '']));
}
