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
 * Describes the first character in which a text differs from its only look-alike in `whole`: another blank, quote or
 * dash, or another composition of a letter. Returns undefined if there is no look-alike or several.
 */
export function lookAlike(whole: string, wanted: string): string | undefined {
  if (whole.length > maxSearched || wanted.length > maxSearched) return undefined;
  const there = charactersOf(whole);
  const here = charactersOf(wanted);
  const found = findSequence(sequenceOf(there.map(folded)), sequenceOf(here.map(folded)), { limit: 2 });
  const [at] = found;
  if (at === undefined || found.length > 1) return undefined;
  const index = here.findIndex((character, offset) => character !== there[at + offset]);
  if (index === -1) return undefined;
  const line = there.slice(0, at + index).filter((character) => character === '\n').length + 1;
  return `line ${line} has ${codesOf(there[at + index])} where \`old_str\` has ${codesOf(here[index])}`;
}

/** Returns the characters of a text, each with its combining marks. */
function charactersOf(text: string): readonly string[] {
  return text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
}

function folded(character: string): string {
  return withoutTypography(character.normalize('NFC'));
}

function codesOf(character = ''): string {
  return Array.from(character, (one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`).join(
    ' ',
  );
}
