import { type EventStore, memoryStore, type Signer, type Statement, verify } from '@varve/storage';
import { scrub } from '@varve/storage/maintenance';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readerOf, signer, thief, trusted } from '../../test/stored-log.ts';
import { digestOf } from '../proof/hash-chain.ts';
import { hasValidSignature, signTombstone } from '../proof/signatures.ts';
import { newEvent } from '../testing/events.ts';

const id = 'c';
const secrets = ['sk-0123456789', 'sk-abcdefghij'] as const;
const events = [0, 1, 2].map((n) => newEvent(`e${n}`, { note: `pay ${n} ${secrets.join(' ')}` }));

const steps = fc.array(
  fc.record({
    by: fc.constantFrom<Signer>(signer, thief, { ...thief, did: signer.did }),
    seq: fc.nat(events.length - 1),
    edit: fc.constantFrom<readonly [string, string]>(['pay', 'buy'], ['sk-', '***'], ['pay', 'pay']),
    secret: fc.constantFrom(...secrets),
  }),
  { maxLength: 4 },
);

type Step = typeof steps extends fc.Arbitrary<(infer Value)[]> ? Value : never;

/** Scrubs a secret with the trusted key, or replaces any text with a tombstone of another one. */
async function apply(store: EventStore, { by, seq, edit, secret }: Step): Promise<void> {
  if (by === signer) {
    await scrub(store, { secrets: [secret], signer });
    return;
  }
  await using log = await store.open(id);
  const before = await log.at(seq);
  const after = { ...before, text: before.text.replace(...edit) };
  const fields = { conversation: id, seq, was: digestOf(before), is: digestOf(after), reason: 'x', at: 1 };
  await log.proof?.replace([{ tombstone: signTombstone(fields, by), text: after.text }]);
}

/** Returns true for the original text, in which anything may be masked. */
function isGenuine(text: string, seq: number): boolean {
  const original = events[seq]?.text ?? '';
  const isMasked = Array.from(text, (character, at) => character === '*' || character === original[at]);
  return text.length === original.length && isMasked.every(Boolean);
}

/** What another key signed can be removed by whoever can write the store. */
const isOfTrusted = (statement: Statement): boolean =>
  statement.kind === 'checkpoint' ||
  (statement.kind === 'tombstone' && statement.signer === signer.did && hasValidSignature(id, statement));

test('a scrub never repeats in its own name what another key claims about an earlier text', async () => {
  const results = { passed: 0, failed: 0 };
  const property = fc.asyncProperty(steps, fc.boolean(), async (before, isCleaned) => {
    await using store = memoryStore();
    await using log = await store.create(id, {});
    await log.append(events, { signer });
    await log[Symbol.asyncDispose]();
    for (const signing of before) await apply(store, signing);
    await scrub(store, { secrets, signer });
    const reader = await store.read(id);
    const proofs = ((await reader.proof?.page(0, 99)) ?? []).map((proof) =>
      isCleaned ? { ...proof, statements: proof.statements.filter(isOfTrusted) } : proof,
    );
    const end = (await reader.proof?.end()) ?? { head: 0, seal: '' };
    const stored = { id, events: await Array.fromAsync(reader.range(0)), proofs, end };
    const { broken } = await verify(readerOf(stored), { trusted, requireSigned: true });
    results[broken ? 'failed' : 'passed'] += 1;
    expect(broken !== undefined || stored.events.every(({ text, seq }) => isGenuine(text, seq))).toBe(true);
  });
  await fc.assert(property, { numRuns: 60 });
  expect(Math.min(results.passed, results.failed)).toBeGreaterThan(5);
});
