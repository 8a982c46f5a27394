import { type LogReader, memoryStore, type Stored } from '@varve/storage';
import { scrub } from '@varve/storage/maintenance';
import { type EventProof, type Statement, verify, type VerifyOptions } from '@varve/storage/proof';
import { assert, asyncProperty, boolean, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signer } from '../contract/statement.ts';
import { newEvent } from '../testing/events.ts';
import { ed25519Signer } from './ed25519-signer.ts';
import { digestOf } from './hash-chain.ts';
import { signedBytes } from './signatures.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const thief = ed25519Signer(new Uint8Array(32).fill(2));
const trusted = [signer.did];

/** A log and what is kept beside it, to be tampered with. */
interface Kept {
  readonly id: string;
  readonly events: Stored[];
  readonly proofs: EventProof[];
  readonly end: { readonly head: number; readonly seal: string };
}

async function keptLog(count: number, id = 'c'): Promise<Kept> {
  await using store = memoryStore({ now: () => 1 });
  const log = await store.create(id, {});
  for (let n = 0; n < count; n += 1) {
    await log.append([newEvent(`e${n}`, { note: `${n}` })], n % 3 === 2 ? { signer } : {});
  }
  const proofs = [...((await log.proof?.page(0, count)) ?? [])];
  const end = await log.proof?.end();
  return { id, events: await Array.fromAsync(log.range(0)), proofs, end: end ?? { head: 0, seal: '' } };
}

function unused(): never {
  throw new Error('Not asked for.');
}

/** Reads it as a store would: places count, not what the events say. */
function readerOf({ id, events, proofs, end }: Kept): LogReader {
  const numbered = events.map((event, seq) => ({ ...event, seq }));
  return {
    id,
    head: async () => numbered.length,
    range: async function* range(from: number) {
      yield* numbered.slice(from);
    },
    at: unused,
    seqOf: unused,
    tail: unused,
    proof: {
      page: async (from, to) => proofs.filter(({ seq }) => seq >= from && seq < Math.min(to, from + 4)),
      end: async () => end,
    },
  };
}

async function broken(kept: Kept, options: VerifyOptions = {}) {
  const verdict = await verify(readerOf(kept), options);
  return verdict.broken && [verdict.broken.seq, verdict.broken.reason];
}

const edits: Record<string, (events: Stored[], at: number) => void> = {
  'edited text': (events, at) => events.splice(at, 1, { ...eventAt(events, at), text: 'other' }),
  'edited space': (events, at) =>
    events.splice(at, 1, { ...eventAt(events, at), text: `${eventAt(events, at).text} ` }),
  'edited kind': (events, at) => events.splice(at, 1, { ...eventAt(events, at), kind: 'Other' }),
  'edited parent': (events, at) => events.splice(at, 1, { ...eventAt(events, at), parentId: 'other' }),
  'edited id': (events, at) => events.splice(at, 1, { ...eventAt(events, at), id: 'other' }),
  'a deleted event': (events, at) => events.splice(at, 1),
  'an inserted event': (events, at) => events.splice(at, 0, { ...newEvent('more'), seq: at }),
  'a repeated event': (events, at) => events.splice(at, 0, eventAt(events, at === 0 ? 3 : at - 1)),
  'two events exchanged': (events, at) => events.splice(at, 2, eventAt(events, at + 1), eventAt(events, at)),
  'a cut end': (events, at) => events.splice(at),
};

function eventAt(events: readonly Stored[], at: number): Stored {
  const event = events[at];
  if (!event) throw new Error(`There is no event ${at}.`);
  return event;
}

describe.for(Object.entries(edits))('%s', ([name, edit]) => {
  test('is found at the first event that it changes, wherever that is', async () => {
    const kept = await keptLog(12);
    for (let at = 0; at < 11; at += 1) {
      const events = [...kept.events];
      edit(events, at);
      expect(await broken({ ...kept, events })).toEqual([at, name === 'a cut end' ? 'lost' : 'altered']);
    }
  });

  test('is found by a trusted signature when all seals were made anew', async () => {
    const kept = await keptLog(12);
    const events = [...kept.events];
    edit(events, 7);
    await using store = memoryStore();
    const forged = await store.create('c', {});
    await forged.append(
      events.map(({ kind, parentId, text, id }, index) => ({ kind, parentId, text, id: `${id}.${index}` })),
    );
    const proofs = (await forged.proof?.page(0, 99)) ?? [];
    const signed = kept.proofs.map((proof) => ({ ...proof, seal: proofs[proof.seq]?.seal }));
    const verdict = await verify(readerOf({ ...kept, events, proofs: signed }), { trusted });
    expect(verdict.broken).toBeDefined();
    expect(verdict.signedEvents).toBeLessThanOrEqual(7);
  });
});

test('a log that nobody changed is verified as far as it was sealed and signed', async () => {
  const kept = await keptLog(13);
  const verdict = await verify(readerOf(kept), { trusted, known: { seq: 4, seal: sealAt(kept, 4) } });
  expect(verdict).toEqual({
    conversation: 'c',
    head: 13,
    sealed: 13,
    seal: kept.end.seal,
    signedEvents: 12,
    signers: { [signer.did]: 4 },
    tombstones: [],
    cuts: [],
  });
});

function sealAt(kept: Kept, seq: number): string {
  return kept.proofs[seq]?.seal ?? '';
}

test('without a list nobody vouches', async () => {
  expect((await verify(readerOf(await keptLog(6)))).signedEvents).toBe(0);
});

test('the same events under another name are another log', async () => {
  expect(await broken({ ...(await keptLog(6)), id: 'd' })).toEqual([0, 'altered']);
});

test('events after the last seal are counted, not blamed', async () => {
  const kept = await keptLog(6);
  const events = [...kept.events, { ...newEvent('more'), seq: 6 }];
  const { sealed, head, broken: none } = await verify(readerOf({ ...kept, events }));
  expect([sealed, head, none]).toEqual([6, 7, undefined]);
});

test('a seal that was taken out is missed', async () => {
  const kept = await keptLog(6);
  expect(await broken({ ...kept, proofs: kept.proofs.toSpliced(1, 1) })).toEqual([1, 'unsealed']);
});

test('the last seal is missed when it went with its event', async () => {
  const kept = await keptLog(7);
  const cut = { events: kept.events.slice(0, 6), proofs: kept.proofs.slice(0, 6) };
  expect(await broken({ ...kept, ...cut })).toEqual([6, 'lost']);
  expect(await broken({ ...kept, ...cut, end: { ...kept.end, head: 6 } })).toEqual([6, 'lost']);
});

test('a checkpoint beyond the end says that events were lost, also when their seals are gone', async () => {
  const kept = await keptLog(6);
  const proofs = kept.proofs.map((proof) => (proof.seq < 4 ? proof : { ...proof, seal: undefined }));
  const end = { head: 4, seal: sealAt(kept, 3) };
  expect(await broken({ ...kept, events: kept.events.slice(0, 4), proofs, end })).toEqual([4, 'lost']);
});

test('a seal known from elsewhere finds a log that was cut, or made anew, with all that lies beside it', async () => {
  const kept = await keptLog(6);
  const known = { seq: 5, seal: sealAt(kept, 5) };
  expect(await broken(await keptLog(5), { known })).toEqual([5, 'lost']);
  expect(await broken(kept, { known })).toBeUndefined();
  expect(await broken(kept, { known: { ...known, seal: sealAt(kept, 4) } })).toEqual([5, 'altered']);
});

const forgeries: Record<string, (statement: Statement) => Statement> = {
  'for another event': (statement) => ({ ...statement, seq: 3 }),
  'with another seal': (statement) => ({ ...statement, seal: 'a'.repeat(64) }) as Statement,
  'with another time': (statement) => ({ ...statement, at: 2 }),
  'with another signer': (statement) => ({ ...statement, signer: thief.did }) as Statement,
  'with no signer': (statement) => ({ ...statement, signer: 'me' }) as Statement,
  'with half a signature': (statement) => ({ ...statement, signature: 'AAAA' }) as Statement,
  'with no signature': (statement) => ({ ...statement, signature: '' }) as Statement,
};

test.for(Object.entries(forgeries))('a checkpoint %s is not signed', async ([, forge]) => {
  const kept = await keptLog(6);
  const [statement] = kept.proofs[2]?.statements ?? [];
  if (!statement) throw new Error('There is no checkpoint.');
  const forged = forge(statement);
  const proofs = kept.proofs.map((proof) => ({ ...proof, statements: proof.seq === forged.seq ? [forged] : [] }));
  expect(await broken({ ...kept, proofs })).toEqual([forged.seq, 'signature']);
});

test('a checkpoint of another log is not signed for this one', async () => {
  const [one, other] = [await keptLog(6), await keptLog(6, 'd')];
  const proofs = one.proofs.map((proof, seq) => ({ ...proof, statements: other.proofs[seq]?.statements ?? [] }));
  expect(await broken({ ...one, proofs })).toEqual([2, 'signature']);
});

const signedOnly = (event: Stored): boolean => event.seq % 3 === 2;

test('who has to sign is asked for each event', async () => {
  const kept = await keptLog(9);
  expect(await broken(kept, { trusted, mustBeSigned: signedOnly })).toBeUndefined();
  expect(await broken(kept, { trusted: [thief.did], mustBeSigned: signedOnly })).toEqual([2, 'unsigned']);
  expect(await broken(kept, { trusted, mustBeSigned: (event) => event.seq === 4 })).toEqual([4, 'unsigned']);
});

function tombstone(event: Stored, now: Stored, by: Signer): Statement {
  const said = { seq: event.seq, was: digestOf(event), is: digestOf(now), reason: 'a key' };
  const unsigned = { kind: 'tombstone', ...said, signer: by.did, at: 1 } as const;
  return { ...unsigned, signature: Buffer.from(by.sign(signedBytes('c', unsigned))).toString('base64url') };
}

test('an event that was scrubbed keeps its seal, if somebody trusted signed for it', async () => {
  const kept = await keptLog(6);
  const before = eventAt(kept.events, 3);
  const after = { ...before, text: before.text.replace('3', '*') };
  const events = kept.events.with(3, after);
  const scrubbed = (by: Signer): Kept => ({
    ...kept,
    events,
    proofs: kept.proofs.map((proof) =>
      proof.seq === 3 ? { ...proof, statements: [tombstone(before, after, by)] } : proof,
    ),
  });
  const verdict = await verify(readerOf(scrubbed(signer)), { trusted });
  expect([verdict.broken, verdict.signedEvents, verdict.tombstones.length]).toEqual([undefined, 6, 1]);
  expect(await broken(scrubbed(thief), { trusted })).toEqual([3, 'untrusted']);
  expect(await broken(scrubbed(thief))).toBeUndefined();
  expect(await broken({ ...scrubbed(signer), events: kept.events })).toBeUndefined();
  expect(await broken({ ...scrubbed(signer), events: kept.events.with(3, { ...after, text: '?' }) })).toEqual([
    3,
    'altered',
  ]);
});

test('a log that ended early when it was opened stays broken there; one that was repaired does not', async () => {
  const kept = await keptLog(6);
  const cut = (cause: 'found' | 'repaired', seq: number): Kept => ({
    ...kept,
    proofs: [...kept.proofs, { seq, seal: undefined, statements: [] }]
      .filter((proof, index, all) => index === all.findIndex((other) => other.seq === proof.seq))
      .map((proof) =>
        proof.seq === seq ? { ...proof, statements: [{ kind: 'cut', seq, end: 9, cause, at: 1 } as const] } : proof,
      ),
  });
  for (const seq of [2, 6]) {
    expect(await broken(cut('found', seq))).toEqual([seq, 'lost']);
    expect(await broken(cut('repaired', seq))).toBeUndefined();
    expect((await verify(readerOf(cut('repaired', seq)))).cuts).toMatchObject([{ seq, end: 9 }]);
  }
});

test('a log that grows while it is verified is whole', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a')]);
  const growing: LogReader = {
    ...log,
    range: async function* range(from: number) {
      for await (const event of log.range(from)) {
        yield event;
        if ((await log.head()) < 20) await log.append([newEvent(`after-${event.id}`)], { signer });
      }
    },
  };
  const verdict = await verify(growing);
  expect([verdict.broken, verdict.head]).toEqual([undefined, 20]);
});

test('what is scrubbed while a log is verified is not called altered', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b', { note: 'hunter22' })], { signer });
  await log[Symbol.asyncDispose]();
  const reader = await store.read('c');
  const slow: LogReader = {
    ...reader,
    async *range(from) {
      yield* reader.range(from, 1);
      // By now the proof of both was read.
      await scrub(store, { secrets: ['hunter22'], signer });
      yield* reader.range(1);
    },
  };
  const verdict = await verify(slow, { trusted });
  expect([verdict.broken, verdict.tombstones.length]).toEqual([undefined, 1]);
});

test('events whose seals come a moment later, as in a directory, are not called unsigned', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b')], { signer });
  const { proof } = log;
  let asked = 0;
  // At first the file of seals ends before the events that are being written.
  const late = {
    end: async () => ({ head: 1, seal: (await proof?.page(0, 1))?.[0]?.seal ?? '' }),
    page: async (from: number, to: number) => {
      asked += 1;
      return proof?.page(from, asked < 5 ? Math.min(to, 1) : to) ?? [];
    },
  };
  const verdict = await verify({ ...log, proof: late }, { trusted, mustBeSigned: () => true });
  expect([verdict.broken, verdict.signedEvents]).toEqual([undefined, 2]);
});

test('an event that stays without a seal is unsigned', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b')], { signer });
  const { proof } = log;
  const never = {
    end: async () => ({ head: 1, seal: (await proof?.page(0, 1))?.[0]?.seal ?? '' }),
    page: async (from: number, to: number) => proof?.page(from, Math.min(to, 1)) ?? [],
  };
  const verdict = await verify({ ...log, proof: never }, { trusted, mustBeSigned: () => true });
  expect(verdict.broken).toMatchObject({ seq: 1, reason: 'unsigned' });
});

test('a store without proof cannot be verified', async () => {
  await using store = memoryStore();
  const { proof: _, ...log } = await store.create('c', {});
  await expect(verify(log)).rejects.toMatchObject({ code: 'invalid' });
});

function flip(text: string, at: number): string {
  const place = at % text.length;
  return text.slice(0, place) + (text[place] === 'a' ? 'b' : 'a') + text.slice(place + 1);
}

test('one changed character of any text or seal is found', async () => {
  const kept = await keptLog(9);
  const seqs = integer({ min: 0, max: 8 });
  await assert(
    asyncProperty(seqs, integer({ min: 0, max: 200 }), boolean(), async (seq, at, isText) => {
      const event = eventAt(kept.events, seq);
      const changed: Kept = isText
        ? { ...kept, events: kept.events.with(seq, { ...event, text: flip(event.text, at) }) }
        : { ...kept, proofs: kept.proofs.with(seq, { ...proofAt(kept, seq), seal: flip(sealAt(kept, seq), at) }) };
      expect(await broken(changed)).toEqual([seq, 'altered']);
    }),
    { numRuns: 60 },
  );
});

function proofAt(kept: Kept, seq: number): EventProof {
  return kept.proofs[seq] ?? { seq, seal: undefined, statements: [] };
}
