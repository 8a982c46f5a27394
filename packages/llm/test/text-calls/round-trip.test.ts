import { textOf } from '@varve/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCalls, awkwardPieces, callableTools as tools } from './any-calls.ts';
import { readBack } from './read-back.ts';
import { userRequest, scriptedModel } from '../../src/testing/index.ts';
import { mockFunctionCalling } from '../../src/function-calling/mock-function-calling.ts';

test('any call is read back unchanged, however the stream is split', async () => {
  const property = fc.asyncProperty(anyCalls(fc), fc.integer({ min: 1, max: 9 }), async (made, width) => {
    // Twice, because a value with a stop string repeats the request.
    const steps = [1, 2].map(() => ({ text: 'I act.', calls: made }));
    const split = (whole: string): readonly string[] => whole.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [];
    const model = mockFunctionCalling({ callsPerReply: 'many' })(scriptedModel(steps, { prompted: true, split }));
    const nothing = { text: '', reasoning: '', arguments: made.map(() => '') };
    let streamed = structuredClone(nothing);
    const reply = await model.generate(userRequest('Go', { tools }), {
      onDelta(delta) {
        if (delta.kind === 'text' || delta.kind === 'reasoning') streamed[delta.kind] += delta.text;
        if (delta.kind === 'tool-call') streamed.arguments[delta.index] += delta.arguments;
        if (delta.kind === 'reset') streamed = structuredClone(nothing);
      },
    });
    const read = (reply.message.tool_calls ?? []).map((call) => ({
      name: call.name,
      arguments: JSON.parse(call.arguments) as unknown,
    }));
    expect(read).toEqual(JSON.parse(JSON.stringify(made)));
    expect(reply.invalidCalls).toBeUndefined();
    expect(streamed).toEqual({
      text: 'I act.',
      reasoning: '',
      arguments: reply.message.tool_calls?.map((call) => call.arguments),
    });
  });
  await fc.assert(property, { numRuns: 300 });
});

test('more than 5,000 calls are read back from their text', () => {
  let count = 0;
  const property = fc.property(anyCalls(fc), (made) => {
    expect(readBack(made)).toEqual(JSON.parse(JSON.stringify(made)));
    count += made.length;
  });
  fc.assert(property, { numRuns: 3000 });
  expect(count).toBeGreaterThan(5000);
});

test('any text is read without failing, with the same result streamed and not', async () => {
  const reply = fc.array(
    fc.oneof(fc.constantFrom(...awkwardPieces), fc.constantFrom('<function=look>\n', '<parameter=count>7</parameter>')),
    {
      maxLength: 14,
    },
  );
  const property = fc.asyncProperty(
    reply.map((pieces) => pieces.join('')).filter((whole) => whole.trim() !== ''),
    async (whole) => {
      const model = mockFunctionCalling()(scriptedModel([{ text: whole }, { text: whole }]));
      let streamed = { text: '', reasoning: '' };
      const { message } = await model.generate(userRequest('Go', { tools }), {
        onDelta(delta) {
          if (delta.kind === 'reset') streamed = { text: '', reasoning: '' };
          if (delta.kind === 'text' || delta.kind === 'reasoning') streamed[delta.kind] += delta.text;
        },
      });
      expect(streamed).toEqual({ text: textOf(message.content), reasoning: message.reasoning_content ?? '' });
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
    const { finish } = await model.generate(userRequest('Go', { tools }), { onDelta: () => undefined });
    expect(['stop', 'tool-calls', 'unread-calls']).toContain(finish);
  }
});
