import assert from 'node:assert/strict';
import { thisProcess } from '../src/kit/holder.ts';
import { RootedStore } from '../src/directory/rooted-store.ts';
import type { EventStore } from '../src/contract/store.ts';
import { crashedId, type CrashScenario } from './crash-scenarios.ts';
import { type Crash, type VolatileFiles, volatileFiles } from './volatile-files.ts';

/** Above the largest id that Linux gives: to everybody else this process is dead. */
const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

/** A directory store of a process that the next one finds dead. */
export function storeOver(files: VolatileFiles): EventStore {
  const options = { root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now(), holder: dead };
  return new RootedStore({ ...options, files, warn: () => {} });
}

/** The number of calls that a scenario makes when nothing fails. */
export async function callsOf(scenario: CrashScenario): Promise<number> {
  const files = volatileFiles();
  await scenario.run(storeOver(files), []);
  return files.calls;
}

/** A place where everything ends. */
export interface CrashPoint {
  /** Of the file system: this one and all later ones do nothing. */
  readonly call: number;
  readonly crash: Crash;
  /** Ends the first recovery, too, at a call of its own. */
  readonly recoveryCall?: number;
}

/** Lets a scenario crash, recovers twice, and checks what is there. Throws an error that names the point. */
export async function checkCrashPoint(scenario: CrashScenario, point: CrashPoint): Promise<void> {
  const files = volatileFiles();
  files.dieAt(point.call);
  const acknowledged: string[] = [];
  await scenario.run(storeOver(files), acknowledged).catch(() => {});
  let survivor = files.survivor(point.crash);
  if (point.recoveryCall !== undefined) {
    survivor.dieAt(point.recoveryCall);
    await openOnce(survivor).catch(() => {});
    survivor = survivor.survivor(point.crash);
  }
  try {
    await openOnce(survivor);
    const once = contents(survivor);
    await openOnce(survivor);
    assert.deepEqual(contents(survivor), once, 'a second recovery changed something');
    await scenario.check(storeOver(survivor), acknowledged);
  } catch (error) {
    throw new Error(`${scenario.name}, ${JSON.stringify(point)}`, { cause: error });
  }
}

async function openOnce(files: VolatileFiles): Promise<void> {
  await using store = storeOver(files);
  await store.open(crashedId).catch((error: { readonly code?: string }) => {
    if (error.code !== 'missing') throw error;
  });
}

/** All that a conversation is made of, without the epochs. */
function contents(files: VolatileFiles): Readonly<Record<string, string>> {
  const root = `/srv/root/${crashedId}`;
  const own = `${root}/.varve`;
  const paths = ['events', '.varve/quarantine', '.varve/labels', '.varve/snapshots'].flatMap((name) =>
    files.list(`${root}/${name}`).map((file) => `${root}/${name}/${file}`),
  );
  const single = [`${root}/base_state.json`, `${root}/meta.json`, `${own}/meta.json`, `${own}/seals.jsonl`];
  return Object.fromEntries([...paths, ...single].map((path) => [path, files.read(path)?.toString() ?? '']));
}
