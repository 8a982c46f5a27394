import { recentCharacters } from './recent-characters.ts';

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
 * script, five of a script that needs more. What precedes a mark is compared after it: most characters are no marks,
 * and looking back from each of them took most of the time of a long text.
 */
const stacked =
  /[[\p{M}&&\p{Script=Inherited}]\u1160-\u11ff\ud7b0-\ud7fb](?<=[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{2}.)|\p{M}(?<=[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{5}.)/gv;
/** Characters that can be copies; U+0340 is the first one. */
const possibleCopy = /[\u0340-\u{10ffff}]/gu;
/**
 * Words, or parts of them: a loop of a pattern fails after some millions of characters. An underscore separates words,
 * as a hyphen does: names of files such as `отчет_v2.docx` must be readable.
 */
const word = /[\p{L}\p{M}\p{N}]{1,10000}/gu;
const latin = /\p{Script=Latin}/u;
/**
 * Letters of alphabets that have letters like the Latin ones. Within a word of both, one of them is not what it looks
 * like.
 *
 * @see https://www.unicode.org/reports/tr39/#Restriction_Level_Detection
 */
const foreign =
  /[\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Lisu}]/gu;
/** Begins where the blanks begin: from each of many blanks that end no line, the rest would be read again. */
const lineEndBlanks = /(?<! ) +$/gm;

/**
 * Returns text for a person who must see all of it, such as a call to approve: invisible characters, blanks at the end
 * of a line, and marks of which a terminal would show only the first are replaced by their code points, a tab by an
 * arrow. So are copies of other characters, as the Greek question mark is one of the semicolon, and foreign letters in
 * words of Latin ones. Other blanks and line feeds stay. What looks like such a number or arrow in the text is marked,
 * so that two texts are shown alike only if whole words look alike: the result must not be passed to this function
 * again.
 */
export function revealHidden(text: string): string {
  return text
    .replace(literalNumber, '<003C>')
    .replace(word, (letters) => (latin.test(letters) ? letters.replace(foreign, codePoint) : letters))
    .replace(lineEndBlanks, (blanks) => '<0020>'.repeat(blanks.length))
    .replace(invisible, (character) => {
      if (character === '\n' || character === ' ') return character;
      return character === '\t' ? '⇥   ' : codePoint(character);
    })
    .replace(possibleCopy, (character) => (isCopy(character) ? codePoint(character) : character))
    .replace(stacked, codePoint);
}

/** Reports whether Unicode defines a character as equal to another one, as which it is drawn. */
function isCopy(character: string): boolean {
  const original = character.normalize();
  // Letters that are equal to a letter and a mark are ordinary letters of some scripts.
  return original !== character && Array.from(original).length === 1;
}

function codePoint(character: string): string {
  return `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
