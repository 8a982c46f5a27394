import { findSequence, sequenceOf } from './find-sequence.ts';

/** Replaces dashes, quotes and blanks of typography by those of a keyboard; the length stays the same. */
export function withoutTypography(text: string): string {
  return text
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, ' ');
}

/** Length of a text up to which look-alikes are searched: about 0.1 s. */
const maxSearched = 500_000;

/**
 * Describes the first character in which a text, which the message calls `name`, differs from its only look-alike in
 * `whole`: other blanks, another quote or dash, another composition of a letter, or a character without width. Returns
 * undefined if there is no look-alike or several.
 */
export function lookAlike(whole: string, wanted: string, name: string): string | undefined {
  if (whole.length > maxSearched || wanted.length > maxSearched) return undefined;
  const there = charactersOf(whole);
  const here = charactersOf(wanted);
  const places = findSequence(sequenceOf(there.map(folded)), sequenceOf(here.map(folded)), { limit: 2 });
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  const index = here.findIndex((character, offset) => character !== there[at + offset]);
  if (index === -1) return undefined;
  const line = there.slice(0, at + index).filter((character) => character === '\n').length + 1;
  return `line ${line} has ${codesOf(there[at + index])} where ${name} has ${codesOf(here[index])}`;
}

const zeroWidth = String.raw`\u00AD\u200B-\u200F\u2060\uFEFF`;
const blank = String.raw`\t \u00A0\u2002-\u200A\u202F\u205F\u3000`;
const characters = new RegExp(
  String.raw`[${blank}]+[${zeroWidth}]*|[^\p{M}${zeroWidth}${blank}][\p{M}${zeroWidth}]*|[\p{M}${zeroWidth}]+`,
  'gu',
);
const invisible = new RegExp(`[${zeroWidth}]`, 'g');

/** Returns the characters of a text, each with its combining marks; blanks next to each other are one. */
function charactersOf(text: string): readonly string[] {
  return text.match(characters) ?? [];
}

function folded(character: string): string {
  return withoutTypography(character.replace(invisible, '').normalize('NFC')).replace(/^[\t ]+$/, ' ');
}

function codesOf(character = ''): string {
  const codes = Array.from(character, (part) => part.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0'));
  const [first] = codes;
  if (codes.length > 1 && codes.every((code) => code === first)) return `${codes.length} times U+${first}`;
  return codes.map((code) => `U+${code}`).join(' ');
}
