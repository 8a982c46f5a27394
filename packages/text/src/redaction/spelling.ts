/** The ways to write one part of a secret. No form follows one that is its own beginning. */
export type Forms = readonly string[];

/** One way to write a secret: a sequence of parts, each written in one of its forms. */
export interface Spelling {
  readonly parts: readonly Forms[];
  /** Line breaks may separate the parts, as encoders of base64 write them. */
  readonly mayWrap: boolean;
}

/**
 * Returns the end of a spelling from its part number `first` on, which starts at `start`; undefined where the text is
 * something else. Takes the first form that matches and never goes back, so its time is bounded by the spelling's
 * length.
 */
export function endOfSpelling(text: string, start: number, spelling: Spelling, first = 0): number | undefined {
  const { parts, mayWrap } = spelling;
  let at = start;
  for (let index = first; index < parts.length; index += 1) {
    if (mayWrap && index > first) at = afterLineBreak(text, at);
    const form = formAt(text, at, parts[index] ?? []);
    if (form === undefined) return undefined;
    at += form.length;
  }
  return at;
}

/** Returns the start of a spelling whose part number `index` starts at `at`; undefined if other text precedes it. */
export function startOfSpelling(text: string, at: number, { parts }: Spelling, index: number): number | undefined {
  let start = at;
  for (let part = index - 1; part >= 0; part -= 1) {
    const end = beforeLineBreak(text, start);
    const form = (parts[part] ?? []).find((one) => text.endsWith(one, end));
    if (form === undefined) return undefined;
    start = end - form.length;
  }
  return start;
}

/** Tests whether a spelling starts at `start` that more text could complete or lengthen. */
export function isUnfinished(text: string, start: number, { parts, mayWrap }: Spelling): boolean {
  let at = start;
  for (const [index, forms] of parts.entries()) {
    if (mayWrap && index > 0) at = afterLineBreak(text, at);
    const rest = text.slice(at, at + longestHalf);
    if (forms.some((form) => form.length > text.length - at && form.startsWith(text.slice(at)))) return true;
    if (mayWrap && at + rest.length === text.length && halfLineBreak.test(rest)) return true;
    const form = formAt(text, at, forms);
    if (form === undefined) return false;
    at += form.length;
  }
  return false;
}

/** Returns the most UTF-16 units that a spelling can have, for lines of at least 16 characters. */
export function longestLength({ parts, mayWrap }: Spelling): number {
  const length = parts.reduce((sum, forms) => sum + Math.max(...forms.map((form) => form.length)), 0);
  return mayWrap ? length + Math.ceil(length / 16) * longestLineBreak : length;
}

function formAt(text: string, at: number, forms: Forms): string | undefined {
  for (const form of forms) if (text.startsWith(form, at)) return form;
  return undefined;
}

/** A line break and the indentation after it, as it is or as JSON escapes it. */
const lineBreak = /(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,16}/y;
const lineBreakAtEnd = /(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,16}$/;
const halfLineBreak = /^(?:\r|\\{1,8}(?:r\\{0,8})?)$/;
const longestHalf = 17;
const longestLineBreak = 34;

/** Line feed, carriage return, backslash. */
const opening = new Set([10, 13, 92]);
/** Line feed, space, tab, n. */
const closing = new Set([10, 32, 9, 110]);

function afterLineBreak(text: string, at: number): number {
  if (!opening.has(text.charCodeAt(at))) return at;
  lineBreak.lastIndex = at;
  return lineBreak.test(text) ? lineBreak.lastIndex : at;
}

function beforeLineBreak(text: string, at: number): number {
  if (!closing.has(text.charCodeAt(at - 1))) return at;
  const before = text.slice(Math.max(0, at - longestLineBreak), at);
  return at - (lineBreakAtEnd.exec(before)?.[0].length ?? 0);
}
