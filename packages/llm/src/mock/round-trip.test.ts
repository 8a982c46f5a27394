import { textOf } from '@varve/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolSpec } from '../model-request.ts';
import { asking, scriptedModel } from '../testing/index.ts';
import { mockFunctionCalling } from './mock-function-calling.ts';

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
const tools: readonly ToolSpec[] = [
  { name: 'act', description: 'Acts.', parameters },
  { name: 'look', description: 'Looks.', parameters },
];

const piece = fc.constantFrom(
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
);
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
const calls = fc.array(fc.record({ name: fc.constantFrom('act', 'look'), arguments: fields }), {
  minLength: 1,
  maxLength: 3,
});

test('whatever is called is read back as it was, however the stream is cut', async () => {
  const property = fc.asyncProperty(calls, fc.integer({ min: 1, max: 9 }), async (made, width) => {
    // Twice, because a value with a stop string in it makes the request go out again.
    const steps = [1, 2].map(() => ({ text: 'I act.', calls: made }));
    const split = (whole: string): readonly string[] => whole.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [];
    const model = mockFunctionCalling({ callsPerReply: 'many' })(scriptedModel(steps, { prompted: true, split }));
    const nothing = { text: '', reasoning: '', arguments: made.map(() => '') };
    let said = structuredClone(nothing);
    const reply = await model.generate(asking('Go', { tools }), {
      onDelta(delta) {
        if (delta.kind === 'text' || delta.kind === 'reasoning') said[delta.kind] += delta.text;
        if (delta.kind === 'tool-call') said.arguments[delta.index] += delta.arguments;
        if (delta.kind === 'reset') said = structuredClone(nothing);
      },
    });
    const read = (reply.message.tool_calls ?? []).map((call) => ({
      name: call.name,
      arguments: JSON.parse(call.arguments) as unknown,
    }));
    expect(read).toEqual(JSON.parse(JSON.stringify(made)));
    expect(reply.invalidCalls).toBeUndefined();
    expect(said).toEqual({
      text: 'I act.',
      reasoning: '',
      arguments: reply.message.tool_calls?.map((call) => call.arguments),
    });
  });
  await fc.assert(property, { numRuns: 300 });
});

test('any text is read without failing, and says the same streamed and not', async () => {
  const reply = fc.array(fc.oneof(piece, fc.constantFrom('<function=look>\n', '<parameter=count>7</parameter>')), {
    maxLength: 14,
  });
  const property = fc.asyncProperty(
    reply.map((pieces) => pieces.join('')).filter((whole) => whole.trim() !== ''),
    async (whole) => {
      const model = mockFunctionCalling()(scriptedModel([{ text: whole }, { text: whole }]));
      let said = { text: '', reasoning: '' };
      const { message } = await model.generate(asking('Go', { tools }), {
        onDelta(delta) {
          if (delta.kind === 'reset') said = { text: '', reasoning: '' };
          if (delta.kind === 'text' || delta.kind === 'reasoning') said[delta.kind] += delta.text;
        },
      });
      expect(said).toEqual({ text: textOf(message.content), reasoning: message.reasoning_content ?? '' });
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

test.for([
  ['closing tags', '</parameter> '],
  ['opening tags', '<parameter=one> '],
  ['calls', '<function=act> '],
  ['line starts', '\n<function=act>\n<parameter=one>'],
  ['values without an end', '\n</function>\n<function=act>\n<parameter=one>'],
  ['white space', ' '.repeat(64)],
  ['thoughts', '\n<think></think>'],
  ['ends of thoughts', '\n</think>\n<function=act>\n</function>'],
  ['fences', '\n```\n<function=act>\n'],
  ['sections', '<![CDATA[ ]]> '],
  ['angles', '<'],
])('much of the same is read in one pass: %s', async ([, unit = '']) => {
  const many = unit.repeat(100_000 / unit.length);
  for (const whole of [`<function=act>\n<parameter=one>${many}x`, `${many}x`]) {
    const model = mockFunctionCalling({ callsPerReply: 'many' })(
      scriptedModel([{ text: whole }, { text: whole }], { split: (each) => [each] }),
    );
    const { finish } = await model.generate(asking('Go', { tools }), { onDelta: () => undefined });
    expect(['stop', 'tool-calls']).toContain(finish);
  }
});
