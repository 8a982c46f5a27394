import assert from 'node:assert/strict';
import { type EventStore, StorageError } from '@varve/storage';
import { verify } from '@varve/storage/proof';
import { describe, expect, test } from 'vitest';
import { thisProcess } from '../holder.ts';
import { agentEvent } from '../testing/agent-event.ts';
import { newEvent } from '../testing/new-event.ts';
import { type VolatileFiles, volatileFiles } from '../testing/volatile-files.ts';
import { RootedStore } from './rooted-store.ts';

const id = '0123456789abcdef0123456789abcdef';
const meta = (status: string) => ({ status, workspace: '/srv/w', agent: { model: { kind: 'scripted', name: 'm' } } });

/** Above the largest id that Linux gives: to everybody else this process is dead. */
const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

function storeOver(files: VolatileFiles): EventStore {
  const options = { root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now(), holder: dead };
  return new RootedStore({ ...options, files, warn: () => {} });
}

/** All that a log of one session may do. Ids of acknowledged events are added to `acknowledged`. */
async function session(store: EventStore, acknowledged: string[]): Promise<void> {
  const acknowledge = (...events: readonly { readonly id: string }[]) =>
    void acknowledged.push(...events.map((event) => event.id));
  let log = await store.create(id, meta('idle'));
  await log.append([event(0)]);
  acknowledge(event(0));
  await log.append([event(1), event(2), event(3)], { expectedHead: 1, meta: meta('running') });
  acknowledge(event(1), event(2), event(3));
  await log.append([event(4)]);
  acknowledge(event(4));
  await log.snapshots.save('view', { seq: 5, state: 5 });
  await log[Symbol.asyncDispose]();
  log = await store.open(id);
  await log.append([event(5), event(6)]);
  acknowledge(event(5), event(6));
  await log.append([], { meta: meta('finished') });
  await log[Symbol.asyncDispose]();
}

/** Number 4 needs a label beside it. */
const event = (n: number) => (n === 4 ? newEvent('odd') : agentEvent(n));
const all = [0, 1, 2, 3, 4, 5, 6].map((n) => event(n).id);

/** The log is a beginning of what was appended and holds all that was acknowledged; it can be continued and listed. */
async function expectRecovery(files: VolatileFiles, acknowledged: readonly string[]): Promise<void> {
  const store = storeOver(files);
  const opened = await store.open(id).catch((error: unknown) => error);
  if (opened instanceof StorageError) {
    assert.deepEqual([opened.code, acknowledged], ['missing', []]);
    await session(store, []);
    return;
  }
  const log = opened as Awaited<ReturnType<EventStore['open']>>;
  const ids = (await Array.fromAsync(log.range(0))).map((stored) => stored.id);
  expect(ids).toEqual(all.slice(0, Math.max(ids.length, acknowledged.length)));
  for (const [n, text] of (await Array.fromAsync(log.range(0))).map(({ text: own }) => own).entries()) {
    expect(text).toBe(event(n).text);
  }
  expect((await log.snapshots.latest('view'))?.seq ?? 0).toBeLessThanOrEqual(ids.length);
  const rest = all.map((_, n) => event(n));
  expect(await log.append(rest)).toEqual([...rest.keys()]);
  expect((await store.summary(id)).head).toBe(rest.length);
  expect((await store.list()).items).toHaveLength(1);
  const { broken, sealed } = await verify(log);
  expect([broken, sealed]).toEqual([undefined, rest.length]);
  await store[Symbol.asyncDispose]();
}

async function callsOfSession(): Promise<number> {
  const files = volatileFiles();
  await session(storeOver(files), []);
  return files.calls;
}

/** Runs a session that dies at the call of this number. */
async function crashAt(call: number): Promise<{ files: VolatileFiles; acknowledged: readonly string[] }> {
  const files = volatileFiles();
  files.dieAt(call);
  const acknowledged: string[] = [];
  await session(storeOver(files), acknowledged).catch(() => {});
  return { files, acknowledged };
}

const crashes = { 'a kill': 'kill', 'a power failure that keeps nothing unsynced': { keep: 0 } } as const;
const partly = [1, 2, 3, 4].map((keep) => [`one that keeps ${keep} names of each directory`, { keep }] as const);
const whole = ['one that keeps names but no contents', { keep: Infinity }] as const;

describe.for([...Object.entries(crashes), ...partly, whole])('%s', ([, crash]) => {
  test('at any call loses nothing that was acknowledged and tears no log', async () => {
    const calls = await callsOfSession();
    for (let call = 1; call <= calls + 1; call += 1) {
      const { files, acknowledged } = await crashAt(call);
      await expectRecovery(files.survivor(crash), acknowledged).catch((error: unknown) => {
        throw new Error(`after a crash at call ${call} of ${calls}`, { cause: error });
      });
    }
  });
});

test('a crash during recovery is recovered from', async () => {
  const calls = await callsOfSession();
  for (let call = 1; call <= calls; call += 7) {
    for (let second = 1; second <= 60; second += 3) {
      const { files, acknowledged } = await crashAt(call);
      const again = files.survivor({ keep: second % 4 });
      again.dieAt(second);
      await storeOver(again)
        .open(id)
        .catch(() => {});
      await expectRecovery(again.survivor('kill'), acknowledged);
    }
  }
});

test('a crash while a broken file is set aside leaves it in one of the two places', async () => {
  const broken = `/srv/root/${id}/events/event-00001-00000000.json`;
  for (let call = 1; call <= 80; call += 1) {
    const files = volatileFiles();
    await (await storeOver(files).create(id, meta('idle'))).append([event(0)]);
    await files.store(broken, 'half an ev');
    await files.sync(`/srv/root/${id}/events`);
    files.dieAt(files.calls + call);
    const opened = await storeOver(files)
      .open(id)
      .catch(() => undefined);
    await opened?.append([event(1)]).catch(() => {});
    const left = files.survivor({ keep: call % 3 });
    const kept = left.list(`/srv/root/${id}/.varve/quarantine`);
    const contents = [broken, ...kept.map((name) => `/srv/root/${id}/.varve/quarantine/${name}`)].map((path) =>
      left.read(path)?.toString(),
    );
    expect(contents).toContain('half an ev');
  }
});

test('every call that fails leaves a store that works', async () => {
  const calls = await callsOfSession();
  const names = new Set(['write', 'store', 'sync', 'link', 'rename', 'makeDirectory', 'stamp']);
  for (let failing = 1; failing <= calls; failing += 1) {
    const files = volatileFiles();
    files.failWith('ENOSPC', (name) => names.has(name) && files.calls === failing);
    const acknowledged: string[] = [];
    const failed = await session(storeOver(files), acknowledged).catch((error: unknown) => error);
    assert.ok(failed === undefined || (failed instanceof StorageError && failed.code === 'full'), String(failed));
    await expectRecovery(files.survivor('kill'), acknowledged);
  }
});
