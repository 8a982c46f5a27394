import type { EventProof } from '../../contract/log-proof.ts';
import type { Statement } from '../../contract/statement.ts';
import { isSha256Hex } from '../../proof/hash-chain.ts';
import { parseStatement } from '../../proof/parse-statement.ts';
import { mergeProof } from '../../proof/proof-pages.ts';
import type { SealedEvent } from '../../proof/seal-events.ts';
import { parseRecord } from '../../kit/json.ts';

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

/** Part of a log that the file has seals for. */
export interface SealedPart {
  /** The last seal, which an opening of the log continues from. */
  readonly last: SealedEvent | undefined;
  /** First event before it without a seal; absent if there is none. */
  readonly gap?: number;
}

/** Lines as this package writes them: of a seal, of a statement, which is never one of a seal, and blank ones. */
const sealLine = /\{"seq":(0|[1-9]\d{0,14}),"seal":"([0-9a-f]{64})"\}\n/y;
const otherLine = /(?:\{"kind":"[^\n\\]*)?\n/y;

/** Returns which events have seals, without parsing the file if its lines are as this package writes them. */
export function sealedPart(text: string): SealedPart {
  // A power failure leaves zeros in lost blocks; the seals in them are computed again.
  if (text.includes('\0')) return { last: lastBeforeGap(text) };
  const simple = text.includes('"void"') ? undefined : lastOfSimple(text);
  if (simple) return { last: simple };
  const { events, last } = parseSealLines(text);
  const gap = events.filter(({ seal }) => seal !== undefined).findIndex(({ seq }, index) => seq !== index);
  return { last, ...(gap !== -1 && { gap }) };
}

/** Returns the last seal of such lines with seals in order, of which a stopped holder may have repeated some. */
function lastOfSimple(text: string): SealedEvent | undefined {
  let last: SealedEvent | undefined;
  for (let at = text.startsWith(sealsHeader) ? sealsHeader.length : 0; at < text.length;) {
    sealLine.lastIndex = otherLine.lastIndex = at;
    const [line, digits, seal = ''] = sealLine.exec(text) ?? otherLine.exec(text) ?? [];
    if (line === undefined) return undefined;
    at += line.length;
    if (digits === undefined) continue;
    const seq = Number(digits);
    const next = last ? last.seq + 1 : 0;
    if (seq > next) return undefined;
    if (seq === next) last = { seq, seal };
  }
  return last;
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
