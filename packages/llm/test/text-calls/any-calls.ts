import type FastCheck from 'fast-check';
import type { ToolSpec } from '../../src/model-request.ts';

const parameters = {
  type: 'object',
  properties: {
    one: { type: 'string' },
    two: { type: 'string' },
    count: { type: 'integer' },
    rate: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array' },
    record: { type: 'object' },
    maybe: { type: ['string', 'null'] },
  },
} as const;
/** Two tools with a parameter of every type. */
export const callableTools: readonly ToolSpec[] = [
  { name: 'act', description: 'Acts.', parameters },
  { name: 'look', description: 'Looks.', parameters },
];

/** Text fragments that cause errors most often: tags, parts of tags, and unusual characters. */
export const awkwardPieces = [
  '<function=act>',
  '</function>',
  '<parameter=one>',
  '<parameter=two>',
  '</parameter>',
  '</parameter',
  '<function',
  '<![CDATA[',
  ']]>',
  ']]',
  '>',
  '<',
  '</',
  '\n',
  '\r\n',
  '\r',
  '\t',
  ' ',
  '```',
  '`',
  '&lt;',
  '😀',
  'é',
  '"',
  "'",
  '\\',
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  'EXECUTION RESULT of [act]:',
  'a',
  'word',
  '{',
  '}',
  '[1]',
  'null',
] as const;

/** A scripted call. */
export interface AnyCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Returns an arbitrary of one to three calls of these tools, with any values. */
export function anyCalls(fc: typeof FastCheck): FastCheck.Arbitrary<readonly AnyCall[]> {
  const piece = fc.constantFrom(...awkwardPieces);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  );
  const json = fc.jsonValue({ maxDepth: 3 });
  const fields = fc.record(
    {
      one: text,
      two: text,
      count: fc.integer(),
      rate: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
      flag: fc.boolean(),
      list: fc.array(fc.oneof(json, text), { maxLength: 3 }),
      record: fc.dictionary(fc.string(), fc.oneof(json, text), { maxKeys: 3 }),
      maybe: fc.oneof(
        fc.constant(null),
        text.filter((value) => value.trim() !== 'null'),
      ),
    },
    { requiredKeys: [] },
  );
  const call = fc.record({ name: fc.constantFrom('act', 'look'), arguments: fields });
  return fc.array(call, { minLength: 1, maxLength: 3 });
}
