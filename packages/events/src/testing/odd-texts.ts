/** Texts that break careless code: empty, blank, huge, half a character, names that objects have, JSON in JSON. */
export const oddTexts: readonly string[] = [
  'ok',
  'two\nlines',
  '',
  ' \t\n',
  '\u0000\u0001\u007f',
  'é 漢字 🦊 👩‍👩‍👧',
  '\ud83e',
  '\u202eabc\u2028\u2029',
  '__proto__',
  'constructor',
  '__root__',
  '{"kind":"MessageEvent"}',
  '"quoted" \\ back',
  'x'.repeat(20_000),
];
