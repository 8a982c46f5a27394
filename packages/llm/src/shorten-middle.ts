/**
 * `text` when it is at most `limit` UTF-16 units long; else its head and its tail with a note between them that says how
 * much is missing, together at most `limit` units. A character is never cut in half.
 */
export function shortenMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = `\n[… ${text.length - limit} of ${text.length} characters left out here …]\n`;
  const room = limit - note.length;
  if (room <= 0) return text.slice(0, wholeBefore(text, limit));
  const head = text.slice(0, wholeBefore(text, Math.ceil(room / 2)));
  const tail = text.slice(wholeAfter(text, text.length - Math.floor(room / 2)));
  return head + note + tail;
}

function wholeBefore(text: string, at: number): number {
  return isInsideCharacter(text, at) ? at - 1 : at;
}

function wholeAfter(text: string, at: number): number {
  return isInsideCharacter(text, at) ? at + 1 : at;
}

function isInsideCharacter(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
