import type { Json } from '../json.ts';

function nested(depth: number): Json {
  let value: Json = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

/** Values that break careless readers of JSON. */
export const oddJson: readonly Json[] = [
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
