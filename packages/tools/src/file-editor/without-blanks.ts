import { findText } from '../files/find-sequence.ts';

/** Match of a text without the blanks around it. */
export interface TrimmedMatch {
  readonly found: readonly number[];
  readonly old: string;
  readonly new: string;
}

/**
 * Finds whole words of `old` without the blanks around it. Returns undefined unless the replacement has the same blanks
 * around it, so that it differs from what was asked in nothing but these; and unless it has one line or the indentation
 * of the file, because further lines would be indented differently.
 */
export function withoutBlanks(plain: string, old: string, replacement: string): TrimmedMatch | undefined {
  const asked = splitBlanks(old);
  const put = splitBlanks(replacement);
  if (asked.text === old || asked.text === '' || put.text === '') return undefined;
  if (asked.before !== put.before || asked.after !== put.after) return undefined;
  const isFit = (at: number): boolean => {
    const next = plain.charAt(at + asked.text.length);
    const isWord = (asked.before === '' || isBlank(plain.charAt(at - 1))) && (asked.after === '' || isBlank(next));
    return isWord && (!put.text.includes('\n') || plain.slice(0, at).endsWith(asked.before));
  };
  const places = findText(plain, asked.text, { limit: 1000 }).filter(isFit);
  return places.length > 0 ? { found: places, old: asked.text, new: put.text } : undefined;
}

function splitBlanks(text: string): { readonly before: string; readonly text: string; readonly after: string } {
  const inner = text.trim();
  const start = text.indexOf(inner);
  return { before: text.slice(0, start), text: inner, after: text.slice(start + inner.length) };
}

function isBlank(character: string): boolean {
  return character.trim() === '';
}
