import { createHash } from 'node:crypto';
import type { LongString } from '../kit/long-strings.ts';
import type { Statements } from './statements.ts';

/** Stores the long strings of an event: each once in the store, under its SHA-256; in a transaction of the caller. */
export function insertLongStrings(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  strings: readonly LongString[],
): void {
  for (const { at, string } of strings) {
    const sha256 = createHash('sha256').update(string).digest();
    const row = statements.blob.get(sha256, string) ?? statements.insertBlob.get(sha256, string);
    statements.insertString.run(key, seq, at, Number(row?.['key']));
  }
}
