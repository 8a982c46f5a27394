/**
 * Sequences that command a terminal: what stands between the first and the last character goes with them. One that never
 * ends is none: everything after it would be lost with it.
 */
const terminalSequences = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
  'g',
);
/** Control characters except the line feed, and characters that change the direction of what follows. */
const controls = new RegExp(String.raw`[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]`, 'g');
const lineEnds = new RegExp(String.raw`\r\n?|[\u0085\u2028\u2029]`, 'g');

/**
 * Text of models, tools and files as it may be shown: nothing in it moves a cursor, colours, or turns the direction of
 * reading. Lines end with line feeds, a tab is four spaces, and half characters are replaced.
 */
export function safeText(value: string): string {
  return value
    .replace(terminalSequences, '')
    .replace(lineEnds, '\n')
    .replaceAll('\t', '    ')
    .replace(controls, '')
    .toWellFormed();
}
