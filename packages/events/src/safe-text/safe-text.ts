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
