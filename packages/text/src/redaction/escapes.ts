import type { Forms } from './spelling.ts';

/** A character, or a line end of two characters, as the encoders of one format write it. */
export type Escape = (character: string) => Forms;

/** Characters that no encoder escapes. */
const safe = /^[\w.-]$/;

/** Returns the character itself; for a line end each of the three. */
export const plainForms = withLineEnds((character) => [character]);

/**
 * Returns the forms in which a character is percent-encoded: every encoder leaves other punctuation as it is, and forms
 * write a space as a plus sign.
 */
export const percentForms = withLineEnds((character) => {
  if (safe.test(character)) return [character];
  const upper = percentEncoded(character);
  const forms = [upper, upper.toLowerCase(), ...(character === ' ' ? ['+'] : [])];
  return character === '%' ? forms : [...forms, character];
});

/** Returns the forms in which a percent-encoded character is percent-encoded again. */
export const percentTwiceForms: Escape = (character) =>
  percentForms(character).map((form) => form.replaceAll('%', '%25'));

/** Returns the forms in which a character is written in HTML and XML: by name, by number, or as it is. */
export const htmlForms = withLineEnds((character) => {
  const name = names[character];
  if (name === undefined && !/[\n\r/`=+]|[^ -~]/.test(character)) return [character];
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const numbers = [`${code}`, `0${code}`, `x${hex}`, `x${hex.toUpperCase()}`, `X${hex.toUpperCase()}`];
  const forms = numbers.map((number) => `&#${number};`);
  return [...(name === undefined ? [] : [`&${name};`]), ...forms, ...(character === '&' ? [] : [character])];
});

const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/**
 * Characters that some writer of JSON escapes. Go: `<>&`; PHP: `/`; Gson: `<>&'=`; .NET: also `+` and the backquote.
 */
const escapable = /["'\\/<>&+=`]|[^ -~]/;

/**
 * Returns the escape of one character in JSON that is `levels` times a text in JSON: the short form, `\/` of PHP and
 * `\'` of JavaScript literals, and `\u` in either case, written at any of the levels.
 */
export function jsonForms(levels: number): Escape {
  return withLineEnds((character) => {
    if (!escapable.test(character)) return [character];
    const forms = character === '\\' ? [] : [character];
    forms.push(times(levels, character, quoted));
    // Each level doubles the backslashes, and adds one or not.
    const most = character === '/' || character === "'" ? 2 ** levels : 0;
    for (let count = 1; count < most; count += 1) forms.push('\\'.repeat(count) + character);
    for (let level = 1; level <= levels; level += 1) {
      const outer = levels - level;
      const inner = times(level - 1, character, quoted);
      // A short escape holds the character no more.
      if (level > 1 && (character === '\\' || !inner.endsWith(character))) continue;
      const before = quoted(inner.slice(0, inner.length - character.length));
      for (const escape of unicodeEscapes(character)) forms.push(times(outer, before + escape, quoted));
    }
    return [...new Set(forms)];
  });
}

function times(count: number, text: string, change: (text: string) => string): string {
  let changed = text;
  for (let round = 0; round < count; round += 1) changed = change(changed);
  return changed;
}

function quoted(text: string): string {
  // A half surrogate pair stays, as in most writers.
  return text.isWellFormed() ? JSON.stringify(text).slice(1, -1) : text;
}

/** Returns a text as writers of JSON write it, which differ in what they escape. */
export function jsonTexts(text: string): readonly string[] {
  const json = quoted(text);
  const inAscii = json.replaceAll(/[^ -~]/g, lowerEscape);
  return [
    ...new Set([
      json,
      inAscii,
      inAscii.replaceAll('/', String.raw`\/`),
      json.replaceAll(/[<>&\u2028\u2029]/g, lowerEscape),
    ]),
  ];
}

function lowerEscape(unit: string): string {
  return unicodeEscapes(unit)[0] ?? unit;
}

function unicodeEscapes(character: string): readonly string[] {
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  return [units, units.map((unit) => unit.toUpperCase())].map((digits) => digits.map((unit) => `\\u${unit}`).join(''));
}

function percentEncoded(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/**
 * Returns the forms of `escape`, and those of each line end for a line end: it may have become another one. Of two
 * characters first, as it begins like one of them.
 */
export function withLineEnds(escape: Escape): Escape {
  let lineEnds: Forms | undefined;
  return (character) => {
    if (!/^[\r\n]/.test(character)) return escape(character);
    lineEnds ??= lineEndForms(escape);
    return lineEnds;
  };
}

function lineEndForms(escape: Escape): Forms {
  const [returns, feeds] = [escape('\r'), escape('\n')];
  return [...returns.map((form, at) => form + (feeds[at] ?? '')), ...feeds, ...returns];
}
