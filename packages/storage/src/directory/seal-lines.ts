import type { EventProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import { isSha256Hex } from '../proof/is-hash.ts';
import { mergeProof } from '../proof/merge-proof.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { SealedEvent } from '../proof/seal-events.ts';
import { parseRecord } from './json-record.ts';

/** A line of `.varve/seals.jsonl`. */
export type SealLine = SealedEvent | Statement | { readonly void: number };

/** What the file says, in order of seq. */
export interface StoredProof {
  readonly events: readonly EventProof[];
  /** The last seal; nothing when there is none. */
  readonly last: SealedEvent | undefined;
}

/** Writes lines. */
export function sealLinesText(lines: readonly SealLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads the last line of the file, when that is a seal: then it is the last seal. */
export function lastSealOf(text: string): SealedEvent | undefined {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  return text.endsWith('\n') ? sealOf(parseRecord(text.slice(start))) : undefined;
}

/**
 * Reads the file. Lines that a crash tore, and others that say nothing, are passed over. `void` ends what lines before
 * it say of this event and of those after, but for cuts; of two seals of one event the first counts.
 */
export function parseSealLines(text: string): StoredProof {
  const seals = new Map<number, string>();
  let statements: Statement[] = [];
  for (const line of text.split('\n')) {
    const record = line === '' ? undefined : parseRecord(line);
    const sealed = sealOf(record);
    const statement = parseStatement(record);
    if (sealed && !seals.has(sealed.seq)) seals.set(sealed.seq, sealed.seal);
    const end = record?.['void'];
    if (typeof end === 'number') {
      for (const seq of seals.keys()) if (seq >= end) seals.delete(seq);
      statements = statements.filter((other) => other.seq < end || other.kind === 'cut');
    }
    if (statement) statements.push(statement);
  }
  const sealed = [...seals].map(([seq, seal]) => ({ seq, seal }));
  const events = mergeProof(sealed, statements);
  const last = events.findLast((event) => event.seal !== undefined);
  return { events, last: last?.seal === undefined ? undefined : { seq: last.seq, seal: last.seal } };
}

function sealOf(record: Readonly<Record<string, unknown>> | undefined): SealedEvent | undefined {
  const { seq, seal, kind } = record ?? {};
  const isPlace = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  return kind === undefined && isPlace && isSha256Hex(seal) ? { seq, seal } : undefined;
}
