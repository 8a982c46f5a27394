import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { textOf } from '@varve/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LlmError } from '../src/error.ts';
import type { ModelReply } from '../src/model-reply.ts';
import { userRequest, type ScriptedStep } from '../src/testing/index.ts';
import { meterCalls } from '../src/wrappers/index.ts';
import { chunk, data, done, eventStream, rawResponse, streamedReply, whole } from './faults/answers.ts';
import type { Variant } from './faults/fault-row.ts';
import { modelAt, serve } from './faults/run-fault.ts';

/** Names that every object has, which no table of varve may find. */
const inherited = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'];

const variants: readonly Variant[] = [
  { protocol: 'chat', mode: 'whole' },
  { protocol: 'responses', mode: 'whole' },
];
const streamedChat: Variant = { protocol: 'chat', mode: 'streamed' };
const streamedItems: Variant = { protocol: 'responses', mode: 'streamed' };

async function replyTo(variant: Variant, step: ScriptedStep): Promise<ModelReply> {
  await using server = await serve(variant, [step]);
  const free = meterCalls({ prices: { input: 0, output: 1, cacheRead: 0 } });
  // Awaited, as the server is closed at the end.
  return await free(modelAt(variant, server)).generate(userRequest('Hi'), { onDelta: () => undefined });
}

async function failureOf(reply: Promise<ModelReply>): Promise<LlmError> {
  const error: unknown = await reply.catch((reason: unknown) => reason);
  assert.ok(error instanceof LlmError, inspect(error));
  return error;
}

test.for(inherited)('the finish reason %s is unknown', async (name) => {
  const body = { choices: [{ message: { content: 'Yes.' }, finish_reason: name }] };
  expect((await replyTo({ protocol: 'chat', mode: 'whole' }, rawResponse({ body }))).finish).toBe('unknown');
});

test.for(inherited)('an event of the type %s has no content', async (type) => {
  const blocks = [data({ type, delta: 'No.' }), ...streamedReply('responses', 'Yes.')];
  const body = blocks.map((block) => `${block}\n\n`).join('');
  const { message } = await replyTo(streamedItems, rawResponse({ headers: eventStream, body }));
  expect([textOf(message.content), message.reasoning_content]).toEqual(['Yes.', undefined]);
});

test.for(inherited)('a body with the encoding %s is read as it is', async (encoding) => {
  for (const variant of variants) {
    const step = rawResponse({
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: JSON.stringify(whole(variant.protocol, 'Yes.')),
    });
    expect(textOf((await replyTo(variant, step)).message.content)).toBe('Yes.');
  }
});

test('a field `__proto__` of a reasoning item changes no prototype', async () => {
  const pieces = ['{"index":0,"type":"t","text":"a","__proto__":{"a":1}}', '{"index":0,"type":"t","text":"b"}'];
  const blocks = pieces.map((piece) => `data: {"choices":[{"delta":{"reasoning_details":[${piece}]}}]}`);
  const body = [...blocks, chunk({ content: 'Yes.' }, 'stop'), done].map((block) => `${block}\n\n`).join('');
  const { message } = await replyTo(streamedChat, rawResponse({ headers: eventStream, body }));
  expect(message.extra?.['reasoning_details']).toStrictEqual([{ index: 0, type: 't', text: 'ab' }]);
});

const count = fc.oneof(
  fc.constantFrom(1e12, 1e15, 2 ** 53, 1.5e308, Number.MAX_VALUE, -1, -1e308, '7', null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const usage = fc.record(
  {
    prompt_tokens: count,
    input_tokens: count,
    completion_tokens: count,
    output_tokens: count,
    total_tokens: count,
    cached_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    input_tokens_details: fc.record({ cached_tokens: count, cache_write_tokens: count }),
    completion_tokens_details: fc.record({ reasoning_tokens: count }),
    cost: count,
  },
  { requiredKeys: [] },
);

test.for(variants)('usage of any size is counted exactly or not at all, %o', async (variant) => {
  await fc.assert(
    fc.asyncProperty(usage, async (sent) => {
      const body = { ...whole(variant.protocol, 'Yes.'), usage: sent };
      const reply = await replyTo(variant, rawResponse({ body }));
      for (const tokens of Object.values(reply.usage ?? {})) {
        expect(Number.isSafeInteger(tokens) && tokens >= 0, `${tokens} tokens`).toBe(true);
      }
      const { costUsd = 0 } = reply;
      expect(Number.isFinite(costUsd) && costUsd >= 0, `${costUsd} dollars`).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('a wait of any number of digits is finite', async () => {
  const digits = '9'.repeat(400);
  const answers = [
    { headers: { 'retry-after': digits }, body: {} },
    { headers: { 'retry-after-ms': digits }, body: {} },
    { headers: { 'x-ratelimit-reset': digits }, body: {} },
    { headers: {}, body: { error: { message: `Please try again in ${digits}h.` } } },
  ];
  for (const answer of answers) {
    const { code, retryAfterMs } = await failureOf(replyTo(streamedChat, rawResponse({ status: 429, ...answer })));
    expect([code, Number.isFinite(retryAfterMs)]).toEqual(['rate-limited', true]);
  }
});
