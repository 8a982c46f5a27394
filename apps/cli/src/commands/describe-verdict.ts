import { eventCount } from '../conversations/formats.ts';
import type { SeqRange, Tombstone, Unsealed, Verdict } from '@varve/storage';

/** Describes in words what a verdict proves and what it cannot prove; the first line is the result. */
export function describeVerdict(verdict: Verdict): readonly string[] {
  const { head, sealed, seal, proven, broken, tombstones, cuts, unsealed, signedLater } = verdict;
  if (broken) {
    const place = broken.reason === 'unknown' ? '' : ` at event ${broken.seq}`;
    const intact = Math.min(sealed, broken.seq);
    const before = intact > 0 ? [`The ${intact} events before it match their seals.`] : [];
    return [`Verification failed${place}: ${broken.message}`, ...before];
  }
  return [
    head > 0 && sealed === 0
      ? `Not sealed: ${proven.events > 0 ? '' : 'nothing is proven about '}${head} events. Head: ${seal}`
      : `OK: ${eventCount(sealed)} verified, hash chain intact. Head: ${seal}`,
    ...proofOf(verdict),
    ...(sealed > 0 && sealed < head
      ? [`Not sealed yet: ${rangeOf({ seq: sealed, end: head })}, by a crash or another program.`]
      : []),
    ...unsealed.map((range) => lateSealOf(range)),
    ...signedLater.map((range) => signedLaterOf(range)),
    ...scrubbedBy(tombstones),
    ...(cuts.length > 0
      ? [`Repaired ${cuts.length === 1 ? 'once' : `${cuts.length} times`} after a loss of events.`]
      : []),
  ];
}

function proofOf({ head, proven, signers }: Verdict): readonly string[] {
  const { excludes, by, events } = proven;
  if (excludes === 'nothing') return [];
  const limit = 'a writer of the store who recomputed all seals';
  if (excludes === 'careless-edits') {
    const signed = Object.keys(signers).length > 0 ? ` Signed by ${Object.keys(signers).join(', ')}.` : '';
    return [`Excluded: bit rot and careless edits. Not excluded: ${limit} (--trust, --head).${signed}`];
  }
  const evidence = by === 'trusted-key' ? 'signed by a trusted key' : 'covered by the known seal';
  const rest = events < head ? ` Not excluded for later events: ${limit}.` : '';
  return [`Excluded: any change of ${rangeOf({ seq: 0, end: events })}, ${evidence}.${rest}`];
}

const causes: Readonly<Record<Unsealed['cause'], string>> = {
  found: 'sealed when the log was opened, after a crash or an append by another program',
  imported: 'imported without seals',
  accepted: 'accepted without seals',
};

function lateSealOf(range: Unsealed): string {
  return `Not sealed when appended: ${rangeOf(range)}, ${causes[range.cause]}.`;
}

function signedLaterOf(range: SeqRange): string {
  return `Signed only with a later event: ${rangeOf(range)}. Not excluded: a change before that signature.`;
}

function scrubbedBy(tombstones: readonly Tombstone[]): readonly string[] {
  const signers = Map.groupBy(tombstones, ({ signer }) => signer);
  return [...signers].map(([signer, scrubbed]) => {
    const seqs = [...new Set(scrubbed.map(({ seq }) => seq))];
    return `Secrets were scrubbed from ${seqs.length === 1 ? 'event' : 'events'} ${seqs.join(', ')} by ${signer}.`;
  });
}

function rangeOf({ seq, end }: SeqRange): string {
  return end - seq === 1 ? `event ${seq}` : `events ${seq} to ${end - 1}`;
}
