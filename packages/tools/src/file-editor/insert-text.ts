import { refuseParameter, type Refusal } from '../files/refusal.ts';
import type { Changed, EditedText } from './replace-text.ts';
import { linesOf, unixText } from '../files/unix-text.ts';

/**
 * Inserts whole lines after line `after`; 0 is before the first line. A line end is appended to a text without one,
 * except at the end of a file whose last line has none.
 */
export function insertText(file: EditedText, after: number, insertion: string): Changed | Refusal {
  const { text: plain, original } = unixText(file.text);
  const count = linesOf(plain).length;
  if (after < 0 || after > count) {
    return refuseParameter('insert_line', after, `It must be within [0, ${count}], the lines of the file.`);
  }
  const added = unixText(insertion).text;
  const at = original(offsetAfter(plain, after));
  const openEnd = after === count && plain !== '' && !plain.endsWith('\n');
  const lines = openEnd ? `\n${added}` : added.endsWith('\n') ? added : `${added}\n`;
  return {
    text: file.text.slice(0, at) + lines.replaceAll('\n', file.lineEnd) + file.text.slice(at),
    first: after + 1,
    last: after + Math.max(1, linesOf(added).length),
  };
}

/** Returns the offset at which the line after line `line` begins. */
function offsetAfter(text: string, line: number): number {
  let offset = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}
