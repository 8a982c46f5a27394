import { safeText } from '@varve/events/text';

/** Characters that take two columns: East Asian letters and signs, and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const segmenter = new Intl.Segmenter();

/** Returns the number of columns of a text on a terminal, about. */
export function columnsOf(text: string): number {
  return Array.from(segmenter.segment(text)).reduce((sum, { segment }) => sum + widthOf(segment), 0);
}

/** Returns the index of the first character of a text that exceeds a number of columns; its length if all fit. */
export function fittingEnd(text: string, columns: number): number {
  let width = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return index;
  }
  return text.length;
}

/** Makes a text safe, puts it on one line, and cuts it to a number of columns, with an ellipsis. */
export function fitted(value: string, columns: number): string {
  const text = safeText(value).replaceAll(/\s+/g, ' ').trim();
  let width = 0;
  let end = 0;
  // Ends where the columns end: the text may have millions of characters.
  for (const { segment, index } of segmenter.segment(text)) {
    width += widthOf(segment);
    if (width > columns) return `${text.slice(0, end).trimEnd()}…`;
    if (width < columns) end = index + segment.length;
  }
  return text;
}

/** Makes a text safe, puts it on one line, and cuts it at its start, so that its end fits into a number of columns. */
export function fittedEnd(value: string, columns: number): string {
  const text = safeText(value).replaceAll(/\s+/g, ' ').trim();
  let width = 0;
  let start = text.length;
  for (const { segment } of Array.from(segmenter.segment(text)).toReversed()) {
    width += segment <= '~' ? 1 : 2;
    if (width > columns) break;
    start -= segment.length;
  }
  return text.slice(start);
}

/** Pads a text with spaces at its end. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

function widthOf(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}
