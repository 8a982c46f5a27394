import fc from 'fast-check';
import { verify, type EventProof, type Signer, type Statement } from '@varve/storage';
import { expect, test } from 'vitest';
import { eventAt, readerOf, sealAt, signer, storedLog, thief, tombstone, trusted } from '../../test/stored-log.ts';
import { newEvent } from '../testing/events.ts';
import { digestOf, firstSeal, nextSeal, sealedDigest } from './hash-chain.ts';
import { signCheckpoint } from './signatures.ts';

const count = 7;
const original = await storedLog(count);
/** The log with its fourth event scrubbed by the trusted key. */
const genuine = scrubbedAt(3);
const other = await storedLog(count, 'd');
type Log = typeof original;

function scrubbedAt(seq: number): Log {
  const before = eventAt(original.events, seq);
  const after = { ...before, text: before.text.replace(String(seq), '*') };
  const statement = tombstone(before, after, signer);
  const proofs = original.proofs.map((proof) =>
    proof.seq === seq ? { ...proof, statements: [...proof.statements, statement] } : proof,
  );
  return { ...original, events: original.events.with(seq, after), proofs };
}

/** One change by a process that can write the store and has a key of its own. */
type Change = (log: Log, first: number, two: number) => Log;

/** Changes of the events, and of what is recorded about them. */
const changes: Readonly<Record<'ofEvents' | 'ofRecords', Readonly<Record<string, Change>>>> = {
  ofEvents: {
    'edits a text': (log, first) =>
      edited(log, first, (event) => ({ ...event, text: event.text.replace('note', 'NOTE') })),
    'edits an id': (log, first) => edited(log, first, (event) => ({ ...event, id: `${event.id}x` })),
    'restores a text': (log, first) => edited(log, first, () => eventAt(original.events, first % count)),
    'removes an event': (log, first) => ({ ...log, events: log.events.toSpliced(first, 1) }),
    'adds an event of another log': (log, first, two) => ({
      ...log,
      events: log.events.toSpliced(first, 0, eventAt(other.events, two % count)),
    }),
    'exchanges events': (log, one, two) => {
      const [first, second] = [log.events[one], log.events[two]];
      return first && second ? { ...log, events: log.events.with(one, second).with(two, first) } : log;
    },
    'cuts the log': (log, first) => ({
      ...log,
      events: log.events.slice(0, first),
      proofs: log.proofs.slice(0, first),
    }),
  },
  ofRecords: {
    'removes statements': (log, first) => withStatements(log, first, () => []),
    'removes all statements': withoutStatements,
    'removes a seal': (log, first) => ({
      ...log,
      proofs: log.proofs.map((proof, seq) => (seq === first ? { ...proof, seal: undefined } : proof)),
    }),
    'moves statements': (log, first, two) => withStatements(log, first, (had) => [...had, ...statementsAt(log, two)]),
    'copies statements of another log': (log, first, two) =>
      withStatements(log, first, (had) => [...had, ...statementsAt(other, two)]),
    'signs with its own key': (log, first) => signedAt(log, first, thief.did),
    'signs in the name of the trusted key': (log, first) => signedAt(log, first, signer.did),
    'names the trusted key': (log, first) =>
      withStatements(log, first, (had) =>
        had.map((each) => ('signer' in each ? { ...each, signer: signer.did } : each)),
      ),
    'scrubs with its own key': (log, first) => scrubbedBy(log, first, thief),
    'scrubs in the name of the trusted key': (log, first) => scrubbedBy(log, first, { ...thief, did: signer.did }),
    'changes what a statement is about': (log, first, two) =>
      withStatements(log, first, (had) =>
        had.map((each) => {
          if (each.kind === 'checkpoint') return { ...each, seq: two, seal: sealAt(log, two) };
          return each.kind === 'tombstone'
            ? { ...each, is: digestOf(log.events[two] ?? eventAt(other.events, 0)) }
            : each;
        }),
      ),
    'records a cut': (log, first, two) =>
      withStatements(log, first, (had) => [
        ...had,
        { kind: 'cut', seq: first, end: first + two, cause: 'repaired', at: 1 },
      ]),
    'records accepted events': (log, first, two) =>
      withStatements(log, first, (had) => [
        ...had,
        { kind: 'unsealed', seq: first, end: first + two, cause: 'accepted', at: 1 },
      ]),
    'resets the recorded end': (log) => ({ ...log, end: { head: 0, seal: '' } }),
  },
};

function edited(log: Log, at: number, edit: (event: Log['events'][number]) => Log['events'][number]): Log {
  return { ...log, events: log.events.map((event, seq) => (seq === at ? edit(event) : event)) };
}

function statementsAt({ proofs }: Log, at: number): readonly Statement[] {
  return proofs.find(({ seq }) => seq === at)?.statements ?? [];
}

function withStatements(log: Log, at: number, change: (had: readonly Statement[]) => readonly Statement[]): Log {
  const proofs = log.proofs.map((proof) =>
    proof.seq === at ? { ...proof, statements: change(proof.statements) } : proof,
  );
  return { ...log, proofs };
}

function signedAt(log: Log, seq: number, name: string): Log {
  const fields = { conversation: log.id, seq, seal: sealAt(log, seq), at: 1 };
  return withStatements(log, seq, (had) => [...had, { ...signCheckpoint(fields, thief), signer: name }]);
}

function scrubbedBy(log: Log, seq: number, by: Signer): Log {
  const before = log.events[seq];
  if (!before) return log;
  const after = { ...before, text: before.text.replace('note', 'SCRUBBED') };
  const changed = edited(log, seq, () => after);
  return withStatements(changed, seq, (had) => [...had, tombstone(before, after, by)]);
}

function withoutStatements(log: Log): Log {
  return { ...log, proofs: log.proofs.map((proof) => ({ ...proof, statements: [] })) };
}

function resealed(log: Log): Log {
  let seal = firstSeal(log.id);
  const proofs = log.events.map((event, seq): EventProof => {
    const statements = statementsAt(log, seq);
    seal = nextSeal(seal, sealedDigest(event, statements));
    return { seq, seal, statements };
  });
  return { ...log, proofs, end: { head: log.events.length, seal } };
}

const position = fc.integer({ min: 0, max: count });
const someChanges = (of: Readonly<Record<string, Change>>) =>
  fc.array(fc.tuple(fc.constantFrom(...Object.values(of)), position, position), { maxLength: 4 });
const attack = fc.record({
  ofEvents: someChanges(changes.ofEvents),
  reseal: fc.constantFrom('never', 'with statements', 'without statements'),
  ofRecords: someChanges(changes.ofRecords),
  isSealedLast: fc.boolean(),
  known: fc.option(fc.integer({ min: 0, max: count - 1 }), { nil: undefined }),
  hasTrusted: fc.boolean(),
  requireSigned: fc.boolean(),
});

/** Texts that an event may have: as it was appended, and as the trusted key scrubbed it. */
function isGenuine(event: Log['events'][number], seq: number): boolean {
  return [original, genuine].some(({ events }) => {
    const known = events[seq];
    return known !== undefined && digestOf(known) === digestOf(event);
  });
}

type Steps = Pick<
  typeof attack extends fc.Arbitrary<infer Value> ? Value : never,
  'ofEvents' | 'reseal' | 'ofRecords' | 'isSealedLast'
>;

function attacked({ ofEvents, reseal, ofRecords, isSealedLast }: Steps): Log {
  const apply = (log: Log, [step, first, two]: Steps['ofEvents'][number]): Log => step(log, first, two);
  const events = ofEvents.reduce(apply, genuine);
  const kept = reseal === 'without statements' ? withoutStatements(events) : events;
  const records = ofRecords.reduce(apply, reseal === 'never' ? kept : resealed(kept));
  return isSealedLast ? resealed(records) : records;
}

/** The log after an honest agent opened it, appended an event and signed that with the trusted key. */
function resumed(log: Log): Log {
  const seq = log.events.length;
  const added = { ...newEvent('resumed'), seq };
  const seal = nextSeal(log.proofs.at(-1)?.seal ?? firstSeal(log.id), digestOf(added));
  const statements = [signCheckpoint({ conversation: log.id, seq, seal, at: 1 }, signer)];
  const proofs = [...log.proofs.filter((proof) => proof.seq < seq), { seq, seal, statements }];
  return { ...log, events: [...log.events, added], proofs, end: { head: seq + 1, seal } };
}

test('what the trusted key signed after a forgery is named where it did not sign the events themselves', async () => {
  let named = 0;
  const property = fc.asyncProperty(attack, async (steps) => {
    const forged = attacked(steps);
    const log = resumed(forged);
    const verdict = await verify(readerOf(log), { trusted, requireSigned: true });
    if (verdict.broken) return;
    const isLater = (at: number): boolean => verdict.signedLater.some(({ seq, end }) => seq <= at && at < end);
    const others = forged.events.flatMap((event, seq) => (isGenuine(event, seq) ? [] : [seq]));
    if (others.length > 0) named += 1;
    expect(others.filter((seq) => !isLater(seq))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 500 });
  expect(named).toBeGreaterThan(5);
});

test('what is proven against forgery is unchanged, whatever a store writer with another key does', async () => {
  let proven = 0;
  const property = fc.asyncProperty(attack, async ({ known, hasTrusted, requireSigned, ...steps }) => {
    const log = attacked(steps);
    const verdict = await verify(readerOf(log), {
      ...(hasTrusted && { trusted }),
      ...(known !== undefined && { known: { seal: sealAt(original, known) } }),
      ...(requireSigned && { requireSigned }),
    });
    const events = verdict.proven.excludes === 'forgery' ? verdict.proven.events : 0;
    if (events > 0) proven += 1;
    expect(log.events.slice(0, events).every(isGenuine)).toBe(true);
    if (verdict.broken || !hasTrusted || !requireSigned) return;
    expect(log.events.every(isGenuine)).toBe(true);
  });
  await fc.assert(property, { numRuns: 1000 });
  expect(proven).toBeGreaterThan(20);
});
