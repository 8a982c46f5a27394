import assert from 'node:assert/strict';
import { StorageError } from '../src/contract/error.ts';
import type { EventLog, NewEvent } from '../src/contract/log.ts';
import type { EventStore, OpenOptions } from '../src/contract/store.ts';
import { repair } from '../src/maintenance/repair.ts';
import { ed25519Signer } from '../src/proof/ed25519-signer.ts';
import { digestOf } from '../src/proof/hash-chain.ts';
import { signTombstone } from '../src/proof/signatures.ts';
import { verify } from '../src/proof/verify.ts';
import { newEvent } from '../src/testing/events.ts';
import { agentEvent } from './agent-event.ts';

/** Work of a process that crashes, and checks for the process after it. */
export interface CrashScenario {
  readonly name: string;
  /** Adds the ids of acknowledged events to `acknowledged`. */
  run(store: EventStore, acknowledged: string[]): Promise<void>;
  /** True if a crash may leave a log that `open` refuses until it is repaired. */
  readonly isCut: boolean;
  /** Throws if an acknowledged event is lost, another event was added, or the log accepts no append. */
  check(store: EventStore, acknowledged: readonly string[]): Promise<void>;
}

/** Id of the conversation of all scenarios. */
export const crashedId = '0123456789abcdef0123456789abcdef';
const meta = (status: string) => ({ status, workspace: '/srv/w', agent: { model: { kind: 'scripted', name: 'm' } } });
const signer = ed25519Signer(new Uint8Array(32).fill(3));

/** Event 4 needs a sidecar in a directory. */
const event = (n: number): NewEvent => (n === 4 ? newEvent('odd') : agentEvent(n));
const all = [0, 1, 2, 3, 4, 5, 6].map((n) => event(n));

/** Scenarios that cover every operation on a log. */
export const crashScenarios: readonly CrashScenario[] = [
  {
    name: 'appending',
    isCut: false,
    async run(store, acknowledged) {
      let log = await store.create(crashedId, meta('idle'));
      await append(log, acknowledged, [0]);
      await append(log, acknowledged, [1, 2, 3], { expectedHead: 1, meta: meta('running') });
      await append(log, acknowledged, [4]);
      await log.snapshots.save('view', { seq: 5, state: 5 });
      await log[Symbol.asyncDispose]();
      log = await store.open(crashedId);
      await append(log, acknowledged, [5, 6]);
      await log.append([], { meta: meta('finished') });
      await log[Symbol.asyncDispose]();
    },
    async check(store, acknowledged) {
      const log = await openIfExists(store, acknowledged);
      if (!log) return;
      await checkEvents(log, acknowledged);
      await checkSeals(log);
      await checkAppendable(store, log);
    },
  },
  {
    name: 'signing, replacing and cutting',
    isCut: true,
    async run(store, acknowledged) {
      const log = await store.create(crashedId, {});
      await log.append(all.slice(0, 6), { signer });
      acknowledged.push(...all.slice(0, 3).map(({ id }) => id));
      await log.proof?.replace([replacement(2), replacement(4)]);
      await log.proof?.cut(3);
      await append(log, acknowledged, [6]);
      await log.append([], { signer });
    },
    async check(store, acknowledged) {
      const log = await openIfExists(store, acknowledged, { purpose: 'repair' });
      if (!log) return;
      await checkReplaced(log, acknowledged);
      // After a crash during a cut the end of the log counts as lost, until it is repaired.
      const { broken } = await verify(log);
      assert.ok(broken === undefined || broken.reason === 'lost', broken?.message);
      await repair(log);
      await checkSeals(log);
      const head = await log.head();
      assert.deepEqual(await log.append([newEvent('more')], { expectedHead: head }), [head]);
      await checkSeals(log);
    },
  },
  {
    name: 'removing and creating again',
    isCut: false,
    async run(store, acknowledged) {
      const log = await store.create(crashedId, {});
      await log.append(all, { signer });
      await log[Symbol.asyncDispose]();
      await store.remove(crashedId);
      await append(await store.create(crashedId, {}), acknowledged, [0]);
    },
    async check(store, acknowledged) {
      const log = await openIfExists(store, acknowledged);
      if (!log) return;
      await checkEvents(log, acknowledged);
      await checkSeals(log);
      await checkAppendable(store, log);
    },
  },
];

async function append(
  log: EventLog,
  acknowledged: string[],
  numbers: readonly number[],
  options: Parameters<EventLog['append']>[1] = {},
): Promise<void> {
  const events = numbers.map((n) => event(n));
  await log.append(events, options);
  acknowledged.push(...events.map(({ id }) => id));
}

async function openIfExists(
  store: EventStore,
  acknowledged: readonly string[],
  options: OpenOptions = {},
): Promise<EventLog | undefined> {
  try {
    return await store.open(crashedId, options);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    assert.deepEqual([error.code, acknowledged], ['missing', []]);
    return undefined;
  }
}

async function checkEvents(log: EventLog, acknowledged: readonly string[]): Promise<void> {
  const events = await Array.fromAsync(log.range(0));
  const expected = all
    .slice(0, Math.max(events.length, acknowledged.length))
    .map((planned, seq) => ({ seq, ...planned }));
  assert.deepEqual(events, expected);
  assert.ok(((await log.snapshots.latest('view'))?.seq ?? 0) <= events.length);
}

async function checkSeals(log: EventLog): Promise<void> {
  const { broken, sealed, head } = await verify(log, { trusted: [signer.did] });
  assert.deepEqual([broken, sealed], [undefined, head]);
}

async function checkAppendable(store: EventStore, log: EventLog): Promise<void> {
  assert.deepEqual(await log.append(all), [...all.keys()]);
  assert.equal((await store.summary(crashedId)).head, all.length);
  assert.equal((await store.list()).items.length, 1);
  await checkSeals(log);
}

function replacement(seq: number) {
  const before = event(seq);
  const text = before.text.replace(seq === 4 ? '1.0' : '2026', seq === 4 ? '9.9' : '****');
  const digests = { was: digestOf(before), is: digestOf({ ...before, text }) };
  const fields = { conversation: crashedId, seq, ...digests, reason: 'secret', at: 1 };
  return { tombstone: signTombstone(fields, signer), text };
}

/**
 * Expects events 0 to 2, optionally followed by 3 to 5 before the cut or by 6 after it; 2 and 4 with old or new text.
 */
async function checkReplaced(log: EventLog, acknowledged: readonly string[]): Promise<void> {
  const events = await Array.fromAsync(log.range(0));
  const ids = events.map(({ id }) => id);
  const isCut = ids[3] === event(6).id;
  const expected = isCut ? [0, 1, 2, 6] : [0, 1, 2, 3, 4, 5];
  assert.deepEqual(
    ids,
    expected.slice(0, Math.max(ids.length, acknowledged.length)).map((n) => event(n).id),
  );
  for (const [seq, { text }] of events.entries()) {
    const n = expected[seq] ?? -1;
    const texts = [event(n).text, ...(n === 2 || n === 4 ? [replacement(n).text] : [])];
    assert.ok(texts.includes(text), text);
  }
}
