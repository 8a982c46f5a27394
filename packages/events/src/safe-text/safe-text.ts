import { recentCharacters } from './recent-characters.ts';

/**
 * Escape sequences of terminals, with everything between their first and last character. An unterminated sequence does
 * not match: all text after it would be lost.
 */
const terminalSequences = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
  'g',
);
/** Line breaks, and the controls that some terminals treat as one. */
const lineEnds = new RegExp(String.raw`\r\n?|[\u000b\u000c\u0085\u2028\u2029]`, 'g');
/**
 * Control characters except the line feed; invisible format characters, which change the text direction or hide text,
 * except the joiners that emoji and several scripts need.
 */
const controls = /[[\p{Cc}\ufff9-\ufffb[\p{C}&&\p{Default_Ignorable_Code_Point}]]--[\n\u200c\u200d]]/gv;

/**
 * Returns text of models, tools, servers and files that is safe to show: without terminal sequences, control characters
 * and invisible format characters such as direction marks. Lines end with line feeds, tabs become four spaces, and lone
 * surrogates are replaced.
 */
export function safeText(value: string): string {
  // First, because what is removed between two lone surrogates would make them a character.
  return value
    .toWellFormed()
    .replace(terminalSequences, '')
    .replace(lineEnds, '\n')
    .replaceAll('\t', '    ')
    .replace(controls, '');
}

/** Characters without a glyph, except blanks. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns stored JSON as one line that is safe to show: unprintable characters become `\u` escapes, which leaves the
 * parsed value unchanged; line breaks and tabs between values become spaces. Text that is not JSON is escaped too.
 */
export function safeJson(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, ' ').replace(unprintable, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Characters without a glyph of their own, except the blank and the line feed: controls, format and default-ignorable
 * characters (variation selectors, fillers, tags), other blanks, the empty Braille pattern, private and unassigned code
 * points; and the arrow that replaces a tab. Of the planes above the first one only emoji and Han are surely visible:
 * the others contain blank letters. Terminals omit what they do not know, so recent characters are among these, too.
 *
 * @see https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */
const invisible = new RegExp(
  String.raw`[\u2d7f\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u21e5${recentCharacters}[[\u{10000}-\u{10ffff}]--[\p{Emoji}\p{Extended_Pictographic}\p{Script=Han}]]]`,
  'gv',
);
/** Beginning of what looks like the number of a character, in the text itself. */
const literalNumber = /<(?=[\dA-F]{4,6}>)/g;
/**
 * Marks and vowels that a terminal draws into the cell before them, after more of them than terminals keep: two for any
 * script, five of a script that needs so many.
 */
const stacked =
  /(?<=[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{2})[[\p{M}&&\p{Script=Inherited}]\u1160-\u11ff\ud7b0-\ud7fb]|(?<=[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{5})\p{M}/gv;
/** Begins where the blanks begin: from each of many blanks that end no line, the rest would be read again. */
const lineEndBlanks = /(?<! ) +$/gm;

/**
 * Returns text for a person who must see all of it, such as a call to approve: invisible characters, blanks at the end
 * of a line, and marks of which a terminal would show only the first are replaced by their code points, a tab by an
 * arrow. Other blanks and line feeds stay. What looks like such a number or arrow in the text is marked, so that two
 * texts are never shown alike: the result must not be passed to this function again.
 */
export function revealHidden(text: string): string {
  return text
    .replace(literalNumber, '<003C>')
    .replace(lineEndBlanks, (blanks) => '<0020>'.repeat(blanks.length))
    .replace(invisible, (character) => {
      if (character === '\n' || character === ' ') return character;
      return character === '\t' ? '⇥   ' : codePoint(character);
    })
    .replace(stacked, codePoint);
}

function codePoint(character: string): string {
  return `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
