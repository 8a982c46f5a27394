import type { EventProof } from '../../contract/log-proof.ts';
import type { Statement } from '../../contract/statement.ts';
import { isSha256Hex } from '../../proof/hash-chain.ts';
import { parseStatement } from '../../proof/parse-statement.ts';
import { mergeProof } from '../../proof/proof-pages.ts';
import type { SealedEvent } from '../../proof/seal-events.ts';
import { parseRecord } from '../layout/json-record.ts';

/**
 * Line of `.varve/seals.jsonl`. `void` revokes earlier lines for this seq and all after it; it counts only after the
 * statement that accounts for it.
 */
export type SealLine = SealedEvent | Statement | { readonly void: number };

/**
 * First line of the file, on the disk before the first event of a new log: a file without it lost its beginning, unless
 * an older version wrote it.
 */
export const sealsHeader = '{"format":"varve-seals","version":1}\n';

/** Parsed contents of the file. */
export interface StoredProof {
  /** In order of seq. */
  readonly events: readonly EventProof[];
  /** Last seal; absent before the first one. */
  readonly last: SealedEvent | undefined;
}

/** Formats lines. */
export function sealLinesText(lines: readonly SealLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * Returns the last seal that an opening of the log continues from, without parsing more of the file than needed. Parses
 * all of it if its last line is about an earlier event than `head`.
 */
export function lastSealOf(text: string, head = 0): SealedEvent | undefined {
  // A power failure leaves zeros in lost blocks; the seals in them are computed again.
  if (text.includes('\0')) return lastBeforeGap(text);
  const last = lastLineOf(text);
  return last && last.seq + 1 >= head ? last : parseSealLines(text).last;
}

/**
 * Returns the last seal if it is the last line of the file; otherwise the whole file has to be parsed. A line that the
 * file has twice may be an old one, which a stopped holder wrote after its lease was taken over.
 */
function lastLineOf(text: string): SealedEvent | undefined {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const line = text.slice(start);
  return line.endsWith('\n') && text.indexOf(line) === start ? sealOf(parseRecord(line)) : undefined;
}

const sealPattern = /^\{"seq":(\d{1,15}),"seal":"[0-9a-f]{64}"\}$/gm;

/**
 * Returns the seq of the first event before `head` that has no seal in the file, or `head`. Parses the file only if its
 * lines are not simply in order.
 */
export function firstUnsealed(text: string, head: number): number {
  let next = 0;
  for (const [, seq] of text.matchAll(sealPattern)) if (Number(seq) === next) next += 1;
  if (next >= head && !text.includes('"void"')) return head;
  const sealed = parseSealLines(text).events.filter(({ seal }) => seal !== undefined);
  const gap = sealed.findIndex(({ seq }, index) => seq !== index);
  return Math.min(gap === -1 ? sealed.length : gap, head);
}

/** Returns true if the file has this seal, also in a line that another program formatted. */
export function hasSeal(text: string, { seq, seal }: SealedEvent): boolean {
  if (text.includes(sealLinesText([{ seq, seal }]))) return true;
  return parseSealLines(text).events.some((event) => event.seq === seq && event.seal === seal);
}

/** Returns the seal of the last event before the first one without a seal. */
function lastBeforeGap(text: string): SealedEvent | undefined {
  const sealed = parseSealLines(text).events.filter(({ seal }) => seal !== undefined);
  const { seq, seal } = sealed.findLast((event, index) => event.seq === index) ?? {};
  return seq === undefined || seal === undefined ? undefined : { seq, seal };
}

/**
 * Parses the file. Ignores torn and other invalid lines. A `void` line revokes the seals and statements of its seq and
 * all after it in earlier lines, except for cuts and the statement in the line before it. Of two seals of one event,
 * the first counts.
 */
export function parseSealLines(text: string): StoredProof {
  const seals = new Map<number, string>();
  let statements: Statement[] = [];
  let previous: Statement | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const record = parseRecord(line);
    const sealed = sealOf(record);
    const statement = parseStatement(record);
    if (sealed && !seals.has(sealed.seq)) seals.set(sealed.seq, sealed.seal);
    if (statement) statements.push(statement);
    if (isRevocation(record?.['void'], previous)) {
      const { seq: end } = previous;
      const reason = previous;
      for (const seq of seals.keys()) if (seq >= end) seals.delete(seq);
      statements = statements.filter((other) => other.seq < end || other.kind === 'cut' || other === reason);
    }
    previous = statement;
  }
  const sealed = [...seals].map(([seq, seal]) => ({ seq, seal }));
  const events = mergeProof(sealed, statements);
  const last = events.findLast((event) => event.seal !== undefined);
  return { events, last: last?.seal === undefined ? undefined : { seq: last.seq, seal: last.seal } };
}

/** Returns true for a `void` line after the statement that accounts for it. */
function isRevocation(end: unknown, previous: Statement | undefined): previous is Statement {
  const isReason = previous?.kind === 'cut' || (previous?.kind === 'unsealed' && previous.cause === 'accepted');
  return isReason && end === previous.seq;
}

function sealOf(record: Readonly<Record<string, unknown>> | undefined): SealedEvent | undefined {
  const { seq, seal, kind } = record ?? {};
  // The number of events after this one is a safe integer too.
  const isSeq = typeof seq === 'number' && Number.isSafeInteger(seq + 1) && seq >= 0;
  return kind === undefined && isSeq && isSha256Hex(seal) ? { seq, seal } : undefined;
}
