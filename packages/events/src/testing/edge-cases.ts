import type { Json } from '../json.ts';

/** Texts that break careless code: empty, blank, huge, lone surrogates, names of inherited properties, JSON in JSON. */
export const edgeCaseTexts: readonly string[] = [
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

function nested(depth: number): Json {
  let value: Json = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

/** JSON values that break careless readers. */
export const edgeCaseJson: readonly Json[] = [
  {},
  null,
  'text',
  { a: 1, b: [true, null, 'x'] },
  -0.5,
  [],
  nested(40),
  nested(1_000),
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Json,
  { usage_to_metrics: { constructor: {}, agent: { accumulated_cost: -1 } } },
];
