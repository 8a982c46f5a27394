import { type LogReader, memoryStore, type Stored, type EventProof, type Statement, verify } from '@varve/storage';
import { scrub } from '@varve/storage/maintenance';
import { assert, asyncProperty, boolean, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signer } from '../contract/statement.ts';
import {
  broken,
  eventAt,
  readerOf,
  sealAt,
  signer,
  type StoredLog,
  storedLog,
  thief,
  tombstone,
  trusted,
} from '../../test/stored-log.ts';
import { newEvent } from '../testing/events.ts';

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

describe.for(Object.entries(edits))('%s', ([name, edit]) => {
  test('is found at the first changed event, at any position', async () => {
    const stored = await storedLog(12);
    for (let at = 0; at < 11; at += 1) {
      const events = [...stored.events];
      edit(events, at);
      expect(await broken({ ...stored, events })).toEqual([at, name === 'a cut end' ? 'lost' : 'altered']);
    }
  });

  test('is found by a trusted signature when all seals were recomputed', async () => {
    const stored = await storedLog(12);
    const events = [...stored.events];
    edit(events, 7);
    await using store = memoryStore();
    const forged = await store.create('c', {});
    await forged.append(
      events.map(({ kind, parentId, text, id }, index) => ({ kind, parentId, text, id: `${id}.${index}` })),
    );
    const proofs = (await forged.proof?.page(0, 99)) ?? [];
    const signed = stored.proofs.map((proof) => ({ ...proof, seal: proofs[proof.seq]?.seal }));
    const verdict = await verify(readerOf({ ...stored, events, proofs: signed }), { trusted });
    expect(verdict.broken).toBeDefined();
    expect(verdict.signedEvents).toBeLessThanOrEqual(7);
  });
});

test('an unchanged log is verified as far as it was sealed and signed', async () => {
  const stored = await storedLog(13);
  const verdict = await verify(readerOf(stored), { trusted, known: { seq: 4, seal: sealAt(stored, 4) } });
  expect(verdict).toEqual({
    conversation: 'c',
    head: 13,
    sealed: 13,
    seal: stored.end.seal,
    signedEvents: 12,
    signedLater: [0, 3, 6, 9].map((seq) => ({ seq, end: seq + 2 })),
    knownEvents: 5,
    proven: { excludes: 'forgery', by: 'trusted-key', events: 12 },
    signers: { [signer.did]: 4 },
    tombstones: [],
    cuts: [],
    unsealed: [],
  });
});

test('without trusted keys no event counts as signed', async () => {
  expect((await verify(readerOf(await storedLog(6)))).signedEvents).toBe(0);
});

test('the same events under another conversation id are altered', async () => {
  expect(await broken({ ...(await storedLog(6)), id: 'd' })).toEqual([0, 'altered']);
});

test('unsealed events after the last seal are counted, and the log is not broken', async () => {
  const stored = await storedLog(6);
  const events = [...stored.events, { ...newEvent('more'), seq: 6 }];
  const { sealed, head, broken: none } = await verify(readerOf({ ...stored, events }));
  expect([sealed, head, none]).toEqual([6, 7, undefined]);
});

test('one pass gives each intact event to another check, and gives them again if the log is read again', async () => {
  const stored = await storedLog(4);
  const seqs: number[] = [];
  const each = async ({ seq }: Stored) => void seqs.push(seq);
  await verify(readerOf(stored), { each });
  const events = stored.events.with(2, { ...eventAt(stored.events, 2), text: 'other' });
  await verify(readerOf({ ...stored, events }), { each });
  expect(seqs).toEqual([0, 1, 2, 3, 0, 1, 0, 1]);
});

test('a removed seal is found', async () => {
  const stored = await storedLog(6);
  expect(await broken({ ...stored, proofs: stored.proofs.toSpliced(1, 1) })).toEqual([1, 'unsealed']);
});

test('the last seal removed with its event is found', async () => {
  const stored = await storedLog(7);
  const cut = { events: stored.events.slice(0, 6), proofs: stored.proofs.slice(0, 6) };
  expect(await broken({ ...stored, ...cut })).toEqual([6, 'lost']);
  expect(await broken({ ...stored, ...cut, end: { ...stored.end, head: 6 } })).toEqual([6, 'lost']);
});

test('a checkpoint after the end shows that events were lost, even if their seals are missing', async () => {
  const stored = await storedLog(6);
  const proofs = stored.proofs.map((proof) => (proof.seq < 4 ? proof : { ...proof, seal: undefined }));
  const end = { head: 4, seal: sealAt(stored, 3) };
  expect(await broken({ ...stored, events: stored.events.slice(0, 4), proofs, end })).toEqual([4, 'lost']);
});

test('a known seal shows that a log was cut or rebuilt together with its proof', async () => {
  const stored = await storedLog(6);
  const known = { seq: 5, seal: sealAt(stored, 5) };
  expect(await broken(await storedLog(5), { known })).toEqual([5, 'lost']);
  expect(await broken(stored, { known })).toBeUndefined();
  expect(await broken(stored, { known: { ...known, seal: sealAt(stored, 4) } })).toEqual([5, 'altered']);
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

test.for(Object.entries(forgeries))('a checkpoint %s has an invalid signature', async ([, forge]) => {
  const stored = await storedLog(6);
  const [statement] = stored.proofs[2]?.statements ?? [];
  if (!statement) throw new Error('There is no checkpoint.');
  const forged = forge(statement);
  const proofs = stored.proofs.map((proof) => ({ ...proof, statements: proof.seq === forged.seq ? [forged] : [] }));
  expect(await broken({ ...stored, proofs })).toEqual([forged.seq, 'signature']);
});

test('a checkpoint of another log has an invalid signature', async () => {
  const [log, other] = [await storedLog(6), await storedLog(6, 'd')];
  const proofs = log.proofs.map((proof, seq) => ({ ...proof, statements: other.proofs[seq]?.statements ?? [] }));
  expect(await broken({ ...log, proofs })).toEqual([2, 'signature']);
});

const signedOnly = (event: Stored): boolean => event.seq % 3 === 2;

test('each event that must be signed needs a trusted signature of its own', async () => {
  const stored = await storedLog(9);
  expect(await broken(stored, { trusted, mustBeSigned: signedOnly })).toBeUndefined();
  expect(await broken(stored, { trusted: [thief.did], mustBeSigned: signedOnly })).toEqual([2, 'unsigned']);
  expect(await broken(stored, { trusted, mustBeSigned: (event) => event.seq === 4 })).toEqual([4, 'unsigned']);
});

test('a scrubbed event keeps its seal if a trusted signer signed its tombstone', async () => {
  const stored = await storedLog(6);
  const before = eventAt(stored.events, 3);
  const after = { ...before, text: before.text.replace('3', '*') };
  const events = stored.events.with(3, after);
  const scrubbed = (by: Signer): StoredLog => ({
    ...stored,
    events,
    proofs: stored.proofs.map((proof) =>
      proof.seq === 3 ? { ...proof, statements: [tombstone(before, after, by)] } : proof,
    ),
  });
  const verdict = await verify(readerOf(scrubbed(signer)), { trusted });
  expect([verdict.broken, verdict.signedEvents, verdict.tombstones.length]).toEqual([undefined, 6, 1]);
  expect(await broken(scrubbed(thief), { trusted })).toEqual([3, 'untrusted']);
  expect(await broken(scrubbed(thief))).toBeUndefined();
  expect(await broken({ ...scrubbed(signer), events: stored.events })).toBeUndefined();
  expect(await broken({ ...scrubbed(signer), events: stored.events.with(3, { ...after, text: '?' }) })).toEqual([
    3,
    'altered',
  ]);
});

test('a log found too short when opened is broken until it is repaired', async () => {
  const stored = await storedLog(6);
  const cut = (cause: 'found' | 'repaired', seq: number): StoredLog => ({
    ...stored,
    proofs: [...stored.proofs, { seq, seal: undefined, statements: [] }]
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

test('a log that grows during verification is valid', async () => {
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

test('an event scrubbed during verification is not reported as altered', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b', { note: 'hunter22' })], { signer });
  await log[Symbol.asyncDispose]();
  const reader = await store.read('c');
  const slow: LogReader = {
    ...reader,
    async *range(from) {
      yield* reader.range(from, 1);
      // The proof of both events was read before this point.
      await scrub(store, { secrets: ['hunter22'], signer });
      yield* reader.range(1);
    },
  };
  const verdict = await verify(slow, { trusted });
  expect([verdict.broken, verdict.tombstones.length]).toEqual([undefined, 1]);
});

test('events whose seals are written a moment later, as in a directory, are not reported as unsigned', async () => {
  await using store = memoryStore();
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b')], { signer });
  const { proof } = log;
  let pages = 0;
  // The first pages end before the seals of the events that are being written.
  const late = {
    end: async () => ({ head: 1, seal: (await proof?.page(0, 1))?.[0]?.seal ?? '' }),
    page: async (from: number, to: number) => {
      pages += 1;
      return proof?.page(from, pages < 5 ? Math.min(to, 1) : to) ?? [];
    },
  };
  const verdict = await verify({ ...log, proof: late }, { trusted, mustBeSigned: () => true });
  expect([verdict.broken, verdict.signedEvents]).toEqual([undefined, 2]);
});

test('an event without a seal is reported as unsigned', async () => {
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
  const stored = await storedLog(9);
  const seqs = integer({ min: 0, max: 8 });
  await assert(
    asyncProperty(seqs, integer({ min: 0, max: 200 }), boolean(), async (seq, at, isText) => {
      const event = eventAt(stored.events, seq);
      const changed: StoredLog = isText
        ? { ...stored, events: stored.events.with(seq, { ...event, text: flip(event.text, at) }) }
        : {
            ...stored,
            proofs: stored.proofs.with(seq, { ...proofAt(stored, seq), seal: flip(sealAt(stored, seq), at) }),
          };
      expect(await broken(changed)).toEqual([seq, 'altered']);
    }),
    { numRuns: 60 },
  );
});

function proofAt(stored: StoredLog, seq: number): EventProof {
  return stored.proofs[seq] ?? { seq, seal: undefined, statements: [] };
}
