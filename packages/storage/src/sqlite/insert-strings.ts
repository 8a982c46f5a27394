import { createHash } from 'node:crypto';
import type { TakenOut } from './split-text.ts';
import type { Statements } from './statements.ts';

/** Keeps strings that were taken out of an event: each once in the store, under its SHA-256. */
export function insertStrings(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  strings: readonly TakenOut[],
): void {
  for (const { at, string } of strings) {
    const sha256 = createHash('sha256').update(string).digest();
    const found = statements.blob.get(sha256, string) ?? statements.insertBlob.get(sha256, string);
    statements.insertString.run(key, seq, at, Number(found?.['key']));
  }
}
