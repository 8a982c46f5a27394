import { describe, expect, test } from 'vitest';
import type { ToolSpec } from '../src/model-request.ts';
import { LlmError } from '../src/error.ts';
import type { LanguageModel } from '../src/language-model.ts';
import { mockFunctionCalling } from '../src/function-calling/mock-function-calling.ts';
import { openaiChat } from '../src/chat/openai-chat.ts';
import { openaiResponses } from '../src/responses/openai-responses.ts';
import { retry } from '../src/retry.ts';
import {
  userRequest,
  scriptedResponses,
  scriptedServer,
  type ScriptedServer,
  type ScriptedStep,
} from '../src/testing/index.ts';
import { meterCalls, type CallMeasure } from '../src/wrappers/meter-calls.ts';
import { routeCalls } from '../src/wrappers/route-calls.ts';

const usage = { input_tokens: 100, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
const paid = { usage, costUsd: 0.25 };
const patient = retry({ attempts: 3, sleep: async () => undefined });

async function failureOf(model: LanguageModel, signal?: AbortSignal): Promise<LlmError> {
  const options = { onDelta: () => undefined, ...(signal && { signal }) };
  const error: unknown = await model.generate(userRequest('Hi'), options).catch((caught: unknown) => caught);
  if (!(error instanceof LlmError)) throw new Error(`no LlmError: ${String(error)}`);
  return error;
}

function chat({ url }: ScriptedServer): LanguageModel {
  return openaiChat({ model: 'm', baseUrl: url });
}

function chunk(content: string, tokens: number): string {
  const usageSoFar = { prompt_tokens: 100, completion_tokens: tokens, cost: 0.25 };
  return JSON.stringify({ choices: [{ delta: { content } }], usage: usageSoFar });
}

/** A stream that reports usage with every chunk, as some servers do, and then ends in the given way. */
function growing(...last: readonly string[]): ScriptedStep {
  const body = [chunk('Hel', 1), chunk('lo', 5), ...last].map((data) => `data: ${data}\n\n`).join('');
  return { fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body } };
}

describe('a failure contains the partial reply and the usage', () => {
  test.for<readonly [string, ScriptedStep, string]>([
    ['a stream that breaks off', growing(), 'unavailable'],
    ['a chunk that is not JSON', growing('oops'), 'malformed-reply'],
    ['an error in the stream', growing('{"error":{"code":429,"message":"Slow down."}}'), 'rate-limited'],
  ])('%s', async ([, step, code]) => {
    await using server = await scriptedServer([step]);
    const error = await failureOf(chat(server));
    expect(error).toMatchObject({ code, partial: { text: 'Hello', reasoning: '' } });
    expect(error.failedAttempts).toEqual([{ model: 'm', code, ...paid }]);
  });

  test.for<readonly [string, ScriptedStep]>([
    ['empty', { text: '', ...paid }],
    ['truncated', { text: '', reasoning: 'Hm.', finish: 'length', ...paid }],
  ])('a whole reply that is %s, in both protocols', async ([code, step]) => {
    await using first = await scriptedServer([step]);
    await using other = await scriptedResponses([step]);
    for (const model of [chat(first), openaiResponses({ model: 'm', baseUrl: other.url })]) {
      const error = await failureOf(model);
      expect([error.code, error.failedAttempts]).toEqual([code, [{ model: 'm', code, ...paid }]]);
      expect(error.partial?.reasoning).toBe(code === 'truncated' ? 'Hm.' : undefined);
    }
  });

  test('an abort in the middle of a stream', async () => {
    await using server = await scriptedServer([
      { text: 'Hello there, how are you?', fault: { kind: 'hang', afterPieces: 2 } },
    ]);
    const caller = new AbortController();
    const call = chat(server).generate(userRequest('Hi'), { signal: caller.signal, onDelta: () => caller.abort() });
    const partial = { text: expect.stringMatching(/^Hello th/) as string };
    await expect(call).rejects.toMatchObject({ code: 'aborted', partial, failedAttempts: [] });
  });

  test('a failure before the first word has neither', async () => {
    await using server = await scriptedServer([{ error: { code: 'unavailable' } }]);
    expect(await failureOf(chat(server))).toMatchObject({ partial: undefined, failedAttempts: [] });
  });
});

describe('wrappers keep the usage of failed attempts', () => {
  const empty = { text: '', ...paid };
  const ok = { text: 'Hello.', usage: { input_tokens: 1 }, costUsd: 1 };

  test('retry adds it to the reply, separate from the usage of the reply', async () => {
    await using server = await scriptedServer([empty, empty, ok]);
    const reply = await patient(chat(server)).generate(userRequest('Hi'));
    expect([reply.attempts, reply.costUsd, reply.usage?.input_tokens]).toEqual([3, 1, 1]);
    expect(reply.failedAttempts?.map(({ costUsd }) => costUsd)).toEqual([0.25, 0.25]);
  });

  test('retry adds that of all attempts to the error when none succeeds', async () => {
    await using server = await scriptedServer([empty, empty, empty]);
    expect((await failureOf(patient(chat(server)))).failedAttempts).toHaveLength(3);
  });

  test('an abort between attempts keeps it', async () => {
    await using server = await scriptedServer([empty]);
    const caller = new AbortController();
    const sleep = async (): Promise<void> => {
      caller.abort();
      caller.signal.throwIfAborted();
    };
    const error = await failureOf(retry({ sleep })(chat(server)), caller.signal);
    expect([error.code, error.failedAttempts.length]).toEqual(['aborted', 1]);
  });

  test('routeCalls adds that of every model to the error of the first', async () => {
    await using first = await scriptedServer([empty, empty]);
    await using other = await scriptedServer([ok, { text: '', finish: 'length', ...paid }]);
    const model = routeCalls([chat(first), chat(other)]);
    expect((await model.generate(userRequest('Hi'))).failedAttempts).toHaveLength(1);
    const error = await failureOf(model);
    expect([error.code, error.failedAttempts.map(({ code }) => code)]).toEqual(['empty', ['empty', 'truncated']]);
  });

  test('meterCalls prices and measures each attempt, inside and around retry', async () => {
    await using server = await scriptedServer([{ text: '', usage }, { text: 'Hi.', usage }, { text: '', usage }, ok]);
    const measures: CallMeasure[] = [];
    const meter = meterCalls({ prices: { input: 10, output: 0 }, onCall: (each) => measures.push(each) });
    await patient(meter(chat(server))).generate(userRequest('Hi'));
    expect(measures.map(({ failed, failedAttempts }) => [failed, failedAttempts?.[0]?.costUsd])).toEqual([
      ['empty', 0.001],
      [undefined, undefined],
    ]);
    measures.length = 0;
    const reply = await meter(patient(chat(server))).generate(userRequest('Hi'));
    expect(reply.failedAttempts).toEqual([{ model: 'm', code: 'empty', usage, costUsd: 0.001 }]);
    expect(measures.map(({ failedAttempts }) => failedAttempts)).toEqual([reply.failedAttempts]);
  });

  test('a repeated request of mock function calling keeps the usage of the first reply', async () => {
    const ping: ToolSpec = {
      name: 'ping',
      description: '',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
    };
    const cut = { text: '<function=ping>\n<parameter=text>a', ...paid };
    await using server = await scriptedServer([cut, empty]);
    const call = mockFunctionCalling()(chat(server)).generate(userRequest('Hi', { tools: [ping] }));
    await expect(call).rejects.toMatchObject({
      code: 'empty',
      failedAttempts: [
        { model: 'm', ...paid },
        { model: 'm', ...paid },
      ],
    });
  });
});
