import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type { EventLog, NewEvent } from '../contract/log.ts';
import { ed25519Signer } from '../proof/ed25519-signer.ts';
import { digestOf } from '../proof/hash-chain.ts';
import { signTombstone } from '../proof/signatures.ts';
import { verify } from '../proof/verify.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent, newEvents } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(7));
const stranger = ed25519Signer(new Uint8Array(32).fill(8));

/** Checks of seals, statements and changes by the lease holder. */
export const proofChecks: readonly StoreCheck[] = [
  logCheck(
    'the seal of each event covers its bytes and the seal before it, for any way of appending',
    ['keepsProof'],
    async ({ log, store }) => {
      const events = [newEvent('a'), newEvent('b', { parentId: 'a', note: 'é' }), newEvent('c', { parentId: 'b' })];
      assert.deepEqual([await proofOf(log), await log.proof?.end()], [[], undefined]);
      await log.append(events.slice(0, 1));
      await log.append(events);
      await log.append(events.slice(1), { expectedHead: 1, meta: 'again' });
      const seals = sealsOf('c', events);
      assert.deepEqual(
        await proofOf(log),
        seals.map((seal, seq) => ({ seq, seal, statements: [] })),
      );
      assert.deepEqual(await log.proof?.end(), { head: 3, seal: seals[2] });
      const [second] = (await log.proof?.page(1, 2)) ?? [];
      assert.deepEqual(second, { seq: 1, seal: seals[1], statements: [] });
      const verdict = await verify(await store.read('c'));
      assert.deepEqual([verdict.head, verdict.sealed, verdict.seal, verdict.broken], [3, 3, seals[2], undefined]);
    },
  ),
  logCheck('an empty log and a long log can be verified', ['keepsProof'], async ({ log }) => {
    assert.equal((await verify(log)).broken, undefined);
    await log.append(newEvents(0, 600));
    await log.append([newEvent('last')], { signer });
    const { broken, ...verdict } = await verify(log, { trusted: [signer.did] });
    assert.deepEqual([verdict.head, verdict.sealed, verdict.signedEvents, broken], [601, 601, 601, undefined]);
  }),
  logCheck(
    'a signer signs each event that its append stores, and the last seal if there are no events',
    ['keepsProof'],
    async ({ log }) => {
      await log.append([], { signer });
      await log.append([newEvent('a'), newEvent('b')], { signer });
      await log.append([newEvent('b')], { signer });
      await log.append([newEvent('c'), newEvent('d')]);
      await log.append([], { signer: stranger });
      const signed = (await proofOf(log)).flatMap(({ statements }) => statements);
      assert.deepEqual(
        signed.map((statement) => statement.kind === 'checkpoint' && [statement.seq, statement.signer]),
        [
          [0, signer.did],
          [1, signer.did],
          [3, stranger.did],
        ],
      );
      const { broken, signedEvents, signers } = await verify(log, { trusted: [signer.did] });
      assert.deepEqual([broken, signedEvents], [undefined, 2]);
      assert.deepEqual(signers, { [signer.did]: 2, [stranger.did]: 1 });
      const must = { trusted: [signer.did], mustBeSigned: () => true };
      assert.deepEqual(reasonOf(await verify(log, must)), [2, 'unsigned']);
    },
  ),
  logCheck(
    'a failed append leaves no seal and no signature for events it did not store',
    ['keepsProof'],
    async ({ log }) => {
      await log.append([newEvent('a')], { signer });
      await rejectsWith('conflict', () => log.append([newEvent('b')], { expectedHead: 0, signer }));
      await rejectsWith('duplicate', () => log.append([newEvent('a', { note: 'other' })], { signer }));
      await rejectsWith('invalid', () => log.append([{ ...newEvent('b'), digest: 'none' }]));
      assert.equal((await proofOf(log)).length, 1);
      assert.equal((await verify(log)).broken, undefined);
    },
  ),
  storeCheck('two logs of one store have different seals', ['keepsProof'], async ({ store }) => {
    const logs = [await store.create('c', {}), await store.create('d', {})];
    for (const log of logs) await log.append([newEvent('a')], { signer });
    const [one, other] = await Promise.all(logs.map(async (log) => (await verify(log)).seal));
    assert.notEqual(one, other);
  }),
  storeCheck(
    'another handle continues the seals, and a taken-over holder adds nothing to them',
    ['keepsProof', 'reopen', 'expireLeases'],
    async ({ store, reopen, expireLeases }) => {
      const old = await store.create('c', {});
      await old.append([newEvent('a')], { signer });
      await using other = await reopen();
      await expireLeases();
      const next = await other.open('c');
      await next.append([newEvent('b')]);
      await rejectsWith('fenced', () => old.append([newEvent('c')], { signer }));
      await rejectsWith('fenced', () => old.append([], { signer }));
      await next.append([newEvent('d')], { signer });
      const verdict = await verify(await store.read('c'), { trusted: [signer.did] });
      assert.deepEqual([verdict.broken, verdict.sealed, verdict.signedEvents], [undefined, 3, 3]);
      assert.equal(verdict.signers[signer.did], 2);
    },
  ),
  logCheck(
    'cutting and replacing are queued after appends and need the lease',
    ['keepsProof', 'reopen', 'expireLeases'],
    async ({ log, reopen, expireLeases }) => {
      const appended = log.append(newEvents(0, 3));
      assert.equal((await log.proof?.cut(2))?.end, 3);
      assert.deepEqual(await appended, [0, 1, 2]);
      const [event = newEvent('e0')] = newEvents(0, 1);
      const text = event.text.replace('é', '??');
      const fields = {
        conversation: 'c',
        seq: 0,
        was: digestOf(event),
        is: digestOf({ ...event, text }),
        reason: '',
        at: 1,
      };
      const tombstone = signTombstone(fields, signer);
      await rejectsWith('invalid', async () => log.proof?.replace([{ tombstone, text: `${text} ` }]));
      await rejectsWith('invalid', async () => log.proof?.replace([{ tombstone, text: event.text }]));
      await rejectsWith('missing', async () => log.proof?.replace([{ tombstone: { ...tombstone, seq: 2 }, text }]));
      assert.equal((await log.at(0)).text, event.text);
      await using other = await reopen();
      await expireLeases();
      const next = await other.open('c');
      await rejectsWith('fenced', async () => log.proof?.cut(1));
      await rejectsWith('fenced', async () => log.proof?.replace([{ tombstone, text }]));
      await next.proof?.replace([{ tombstone, text }]);
      assert.deepEqual([(await next.at(0)).text, await next.head()], [text, 2]);
      const verdict = await verify(next, { trusted: [signer.did] });
      assert.deepEqual([verdict.broken, verdict.sealed, verdict.tombstones.length], [undefined, 2, 1]);
      await next[Symbol.asyncDispose]();
      await rejectsWith('closed', async () => next.proof?.cut(1));
      await rejectsWith('closed', async () => next.proof?.replace([]));
    },
  ),
  logCheck(
    'reading the proof is missing for a removed conversation and closed for a closed log',
    ['keepsProof'],
    async ({ log, store }) => {
      await log.append([newEvent('a')], { signer });
      const reader = await store.read('c');
      await log[Symbol.asyncDispose]();
      await rejectsWith('closed', async () => log.proof?.page(0, 1));
      await rejectsWith('closed', async () => log.proof?.end());
      await store.remove('c');
      await rejectsWith('missing', async () => reader.proof?.end());
      assert.deepEqual(await proofOf(await store.create('c', {})), []);
    },
  ),
];

async function proofOf(log: LogReader): Promise<readonly EventProof[]> {
  const proofs: EventProof[] = [];
  for (;;) {
    const page = await log.proof?.page((proofs.at(-1)?.seq ?? -1) + 1, Number.MAX_SAFE_INTEGER);
    if (!page || page.length === 0) return proofs;
    proofs.push(...page);
  }
}

function reasonOf({ broken }: Awaited<ReturnType<typeof verify>>) {
  return broken && [broken.seq, broken.reason];
}

/** Independent implementation of the seal, to detect any change of the format: logs outlive versions. */
function sealsOf(conversation: EventLog['id'], events: readonly NewEvent[]): readonly string[] {
  let last = sha256(`varve.seal.1\n${conversation}`);
  return events.map(({ id, kind, parentId, text }) => {
    const digest = sha256(`${JSON.stringify([id, kind, parentId ?? null])}\n${text}`);
    last = sha256(Buffer.from(last + digest, 'hex'));
    return last;
  });
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
