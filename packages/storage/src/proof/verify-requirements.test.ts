import { verify } from '@varve/storage';
import { expect, test } from 'vitest';
import { broken, eventAt, readerOf, sealAt, storedLog, thief, tombstone, trusted } from '../../test/stored-log.ts';

test('a tombstone counts against a known seal only if it is signed by a trusted key', async () => {
  const stored = await storedLog(6);
  const before = eventAt(stored.events, 3);
  const after = { ...before, text: before.text.replace('3', '*') };
  const scrubbed = {
    ...stored,
    events: stored.events.with(3, after),
    proofs: stored.proofs.map((proof) =>
      proof.seq === 3 ? { ...proof, statements: [tombstone(before, after, thief)] } : proof,
    ),
  };
  const seal = sealAt(stored, 5);
  for (const known of [{ seal }, { seq: 5, seal }]) {
    expect(await broken(scrubbed, { known })).toEqual([3, 'untrusted']);
    expect(await broken(scrubbed, { known, trusted })).toEqual([3, 'untrusted']);
    expect(await broken(scrubbed, { known, trusted: [thief.did] })).toBeUndefined();
  }
  expect(await broken(scrubbed, { known: { seal: sealAt(stored, 2) } })).toBeUndefined();
});

test('a known seal without a seq is found at any event, and its absence fails', async () => {
  const stored = await storedLog(6);
  for (const seq of [0, 3, 5]) {
    const verdict = await verify(readerOf(stored), { known: { seal: sealAt(stored, seq) } });
    expect([verdict.broken, verdict.proven]).toEqual([
      undefined,
      { excludes: 'forgery', by: 'known-seal', events: seq + 1 },
    ]);
  }
  expect(await broken(stored, { known: { seal: 'a'.repeat(64) } })).toEqual([0, 'unknown']);
  expect(await broken(await storedLog(0), { known: { seal: 'a'.repeat(64) } })).toEqual([0, 'unknown']);
});

test('the head of a log without events is a known seal of every later state, and of no other log', async () => {
  const { seal } = await verify(readerOf(await storedLog(0)));
  for (const count of [0, 1, 5]) {
    const { broken: none, proven, knownEvents } = await verify(readerOf(await storedLog(count)), { known: { seal } });
    expect([none, proven.by, knownEvents]).toEqual([undefined, count > 0 ? 'seals' : 'nothing', 0]);
    expect(await broken(await storedLog(count, 'd'), { known: { seal } })).toEqual([0, 'unknown']);
  }
});

const later = async (count: number) => (await verify(readerOf(await storedLog(count)), { trusted })).signedLater;

test('events that a trusted key signed only with a later one are named', async () => {
  expect(await later(2)).toEqual([]);
  expect(await later(3)).toEqual([{ seq: 0, end: 2 }]);
  expect(await later(5)).toEqual([{ seq: 0, end: 2 }]);
  expect(await later(6)).toEqual([
    { seq: 0, end: 2 },
    { seq: 3, end: 5 },
  ]);
  expect((await verify(readerOf(await storedLog(6)))).signedLater).toEqual([]);
});

test('a head that must be signed by a trusted key fails without such a signature', async () => {
  const signedHead = await storedLog(6);
  expect(await broken(signedHead, { trusted, requireSigned: true })).toBeUndefined();
  expect(await broken(await storedLog(7), { trusted, requireSigned: true })).toEqual([6, 'unsigned']);
  expect(await broken(signedHead, { trusted: [thief.did], requireSigned: true })).toEqual([0, 'unsigned']);
  expect(await broken(signedHead, { requireSigned: true })).toEqual([0, 'unsigned']);
  expect(await broken(await storedLog(0), { trusted, requireSigned: true })).toEqual([0, 'unsigned']);
  const unsigned = signedHead.proofs.map((proof) => ({ ...proof, statements: [] }));
  expect(await broken({ ...signedHead, proofs: unsigned }, { trusted, requireSigned: true })).toEqual([0, 'unsigned']);
});

test('events without seals prove nothing, and fail if seals are required', async () => {
  const stored = await storedLog(6);
  const proofs = stored.proofs.map((proof) => ({ ...proof, seal: undefined, statements: [] }));
  const reader = readerOf({ ...stored, proofs, end: { head: 0, seal: '' } });
  expect((await verify(reader)).proven).toEqual({ excludes: 'nothing', by: 'nothing', events: 0 });
  expect((await verify(reader, { requireSeals: true })).broken).toMatchObject({ seq: 0, reason: 'unsealed' });
  expect((await verify(readerOf(stored))).proven).toEqual({ excludes: 'careless-edits', by: 'seals', events: 6 });
});

test.for(['nonsense', '', 'did:key:z6Mk', 'did:web:example.org'])('the trusted key %j is malformed', async (key) => {
  const reader = readerOf(await storedLog(3));
  await expect(verify(reader, { trusted: [...trusted, key] })).rejects.toMatchObject({ code: 'invalid' });
});

test('a malformed known seal is invalid', async () => {
  const reader = readerOf(await storedLog(3));
  await expect(verify(reader, { known: { seal: 'abc' } })).rejects.toMatchObject({ code: 'invalid' });
});
