/**
 * Escape sequences of terminals, with everything between their first and last character. An unterminated sequence does
 * not match: all text after it would be lost.
 */
const terminalSequences = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
  'g',
);
/** Control characters except the line feed, and characters that change the text direction. */
const controls = new RegExp(String.raw`[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]`, 'g');
const lineEnds = new RegExp(String.raw`\r\n?|[\u0085\u2028\u2029]`, 'g');

/**
 * Returns text of models, tools and files that is safe to show: without terminal sequences, control characters and
 * direction marks. Lines end with line feeds, tabs become four spaces, and lone surrogates are replaced.
 */
export function safeText(value: string): string {
  return value
    .replace(terminalSequences, '')
    .replace(lineEnds, '\n')
    .replaceAll('\t', '    ')
    .replace(controls, '')
    .toWellFormed();
}

/**
 * Characters without a glyph of their own, except the blank and the line feed: controls, format and default-ignorable
 * characters (variation selectors, fillers, tags), other blanks, the empty Braille pattern, private and unassigned code
 * points.
 *
 * @see https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
 */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const lineEndBlanks = / +$/gm;

/**
 * Returns text for a person who must see all of it, such as a call to approve: invisible characters, and blanks at the
 * end of a line, are replaced by their code points, a tab by an arrow. Other blanks and line feeds stay.
 */
export function revealHidden(text: string): string {
  return text
    .replace(lineEndBlanks, (blanks) => '<0020>'.repeat(blanks.length))
    .replace(invisible, (character) => {
      if (character === '\n' || character === ' ') return character;
      if (character === '\t') return '⇥   ';
      return `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
    });
}
