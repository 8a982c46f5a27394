import { insertStrings } from './insert-strings.ts';
import { longestInline } from './longest-inline.ts';
import { splitText } from './split-text.ts';
import type { Statements } from './statements.ts';

/** Gives an event another text; in a transaction of the caller. */
export function replaceText(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  text: string,
): void {
  const { rest, strings } = splitText(text, longestInline);
  statements.deleteStrings.run(key, seq);
  statements.setText.run(rest, strings.length || null, key, seq);
  // What it said before is in the index, too.
  statements.dropFacts.run(key, seq);
  statements.keepFactsBefore.run(seq, key);
  insertStrings(statements, { key, seq }, strings);
}
