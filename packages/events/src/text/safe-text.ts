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

/** Characters without a glyph that can hide others: controls, direction marks, zero-width characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Returns text for a person who must see all of it, such as a call to approve: invisible characters are replaced by
 * their code points, a tab by four spaces. Line feeds stay.
 */
export function revealHidden(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n') return character;
    if (character === '\t') return '    ';
    return `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}
