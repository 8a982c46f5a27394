import { describe, expect, test } from 'vitest';
import type { Delta } from './delta.ts';
import type { LlmErrorCode } from './error.ts';
import { openaiChat } from './chat/openai-chat.ts';
import { retry, type RetryNotice, type RetryOptions } from './retry.ts';
import { userRequest, scriptedModel, scriptedServer, type ScriptedStep } from './testing/index.ts';
import type { ScriptedError } from './testing/script/scripted-step.ts';

/** A clock that advances only by sleeping, with the longest wait of each jitter. */
function patience(): { options: RetryOptions; waits: number[] } {
  const waits: number[] = [];
  let at = 0;
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    at += ms;
  };
  return { waits, options: { sleep, now: () => at, random: () => 1 } };
}

function failing(code: ScriptedError['code'], retryAfterMs?: number): ScriptedStep {
  return { error: { code, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
}

const fine = { text: 'Fine.' };

test('waits double up to the limit, and the reply counts every attempt', async () => {
  const { options, waits } = patience();
  const model = scriptedModel([...Array.from({ length: 7 }, () => failing('unavailable')), fine]);
  const reply = await retry({ ...options, attempts: 8 })(model).generate(userRequest('Hi'));
  expect([reply.attempts, waits]).toEqual([8, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]]);
});

test('waits are a random part of the limit', async () => {
  const { options, waits } = patience();
  const model = retry({ ...options, random: () => 0.25 })(
    scriptedModel([failing('timeout'), failing('timeout'), fine]),
  );
  await model.generate(userRequest('Hi'));
  expect(waits).toEqual([500, 1000]);
});

test('five attempts are made by default, and the last error is thrown', async () => {
  const { options, waits } = patience();
  const model = scriptedModel(Array.from({ length: 9 }, () => failing('rate-limited')));
  await expect(retry(options)(model).generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'rate-limited' });
  expect([model.requests.length, waits.length]).toEqual([5, 4]);
});

test('a loading model is waited for until the total time is over', async () => {
  const { options, waits } = patience();
  const loading: ScriptedStep = { error: { code: 'unavailable', message: 'm at x answered 503: Loading model' } };
  const model = scriptedModel([...Array.from({ length: 20 }, () => loading), failing('unavailable'), fine]);
  const reply = await retry({ ...options, attempts: 2 })(model).generate(userRequest('Hi'));
  expect(reply.attempts).toBe(22);
  expect(waits).toEqual([...Array.from({ length: 20 }, () => 4000), 2000]);
  const endless = scriptedModel(Array.from({ length: 200 }, () => loading));
  const call = retry({ ...options, maxTotalMs: 20_000 })(endless).generate(userRequest('Hi'));
  await expect(call).rejects.toMatchObject({ code: 'unavailable' });
  expect(endless.requests).toHaveLength(6);
});

test('an empty reply at temperature 0, and only that, is retried at temperature 1', async () => {
  const { options } = patience();
  const temperatures = async (
    temperature: number | undefined,
    code: ScriptedError['code'],
  ): Promise<readonly unknown[]> => {
    const model = scriptedModel([failing(code), fine]);
    await retry(options)(model).generate(
      userRequest('Hi', { parameters: temperature === undefined ? {} : { temperature } }),
    );
    return model.requests.map(({ parameters }) => parameters.temperature);
  };
  expect(await temperatures(0, 'empty')).toEqual([0, 1]);
  expect(await temperatures(0.5, 'empty')).toEqual([0.5, 0.5]);
  expect(await temperatures(undefined, 'empty')).toEqual([undefined, undefined]);
  expect(await temperatures(0, 'unavailable')).toEqual([0, 0]);
});

test('the wait requested by the provider is never shortened', async () => {
  const { options, waits } = patience();
  const model = retry({ ...options, random: () => 0 })(scriptedModel([failing('rate-limited', 1500), fine]));
  await model.generate(userRequest('Hi'));
  expect(waits).toEqual([1500]);
});

test('a requested wait above the limit ends the call', async () => {
  const { options, waits } = patience();
  const model = retry(options)(scriptedModel([failing('rate-limited', 7_200_000)]));
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'rate-limited',
    retryAfterMs: 7_200_000,
  });
  expect(waits).toEqual([]);
});

test('no attempt starts after the total time', async () => {
  const { options, waits } = patience();
  const model = scriptedModel(Array.from({ length: 9 }, () => failing('unavailable', 40_000)));
  const call = retry({ ...options, attempts: 9, maxTotalMs: 100_000 })(model).generate(userRequest('Hi'));
  await expect(call).rejects.toMatchObject({ code: 'unavailable' });
  expect(waits).toEqual([44_000, 44_000]);
});

const final: readonly ScriptedError['code'][] = [
  'unauthenticated',
  'quota',
  'context-overflow',
  'bad-request',
  'refused',
  'truncated',
];

describe('permanent failures', () => {
  test.for(final)('%s is not retried', async (code) => {
    const model = scriptedModel([failing(code)]);
    await expect(retry()(model).generate(userRequest('Hi'))).rejects.toMatchObject({ code });
    model.assertDone();
  });
});

test('a malformed reply is tried twice', async () => {
  const { options } = patience();
  const model = scriptedModel([failing('malformed-reply'), failing('malformed-reply')]);
  const code: LlmErrorCode = 'malformed-reply';
  await expect(retry(options)(model).generate(userRequest('Hi'))).rejects.toMatchObject({ code });
  model.assertDone();
});

test('one malformed reply after another failure is retried', async () => {
  const { options } = patience();
  const model = scriptedModel([failing('unavailable'), failing('malformed-reply'), fine]);
  expect((await retry(options)(model).generate(userRequest('Hi'))).attempts).toBe(3);
});

test('a refused port of this machine is tried twice', async () => {
  const { options, waits } = patience();
  const server = await scriptedServer([]);
  await server[Symbol.asyncDispose]();
  const model = retry(options)(openaiChat({ model: 'm', baseUrl: server.url.replace('127.0.0.1', 'localhost') }));
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(waits).toHaveLength(1);
});

test.for(['ENOTFOUND', 'EAI_AGAIN'])('a host that is not found (%s) is named and tried twice', async (code) => {
  const { options, waits } = patience();
  const fetch = async (): Promise<never> => {
    throw Object.assign(new Error(`getaddrinfo ${code} models.test`), { code, hostname: 'models.test' });
  };
  const model = retry(options)(openaiChat({ model: 'm', baseUrl: 'http://models.test', fetch }));
  const message = /cannot be reached: the host "models\.test" was not found/;
  await expect(model.generate(userRequest('Hi'))).rejects.toThrow(message);
  expect(waits).toHaveLength(1);
});

test('a reset discards the deltas of an incomplete reply before the next ones', async () => {
  const { options } = patience();
  const broken = { text: 'Half a reply', fault: { kind: 'reset', afterPieces: 1 } } as const;
  await using server = await scriptedServer([failing('unavailable'), broken, fine]);
  const deltas: Delta[] = [];
  const model = retry(options)(openaiChat({ model: 'm', baseUrl: server.url }));
  const reply = await model.generate(userRequest('Hi'), { onDelta: (delta) => void deltas.push(delta) });
  expect(deltas).toEqual([
    { kind: 'text', text: 'Half a r' },
    { kind: 'reset', reason: expect.stringContaining('closed the connection before the reply was complete') },
    { kind: 'text', text: 'Fine.' },
  ]);
  expect(reply.attempts).toBe(3);
});

test('onRetry is called for each wait', async () => {
  const { options } = patience();
  const notices: RetryNotice[] = [];
  const model = scriptedModel([failing('unavailable'), failing('empty'), fine]);
  await retry({ ...options, onRetry: (notice) => void notices.push(notice) })(model).generate(userRequest('Hi'));
  expect(notices.map(({ attempt, delayMs, error }) => [attempt, delayMs, error.code])).toEqual([
    [1, 2000, 'unavailable'],
    [2, 4000, 'empty'],
  ]);
});

test('aborting during a wait ends the call, and nothing is sent again', async () => {
  const caller = new AbortController();
  const model = scriptedModel([failing('unavailable'), fine]);
  const call = retry({ onRetry: () => setImmediate(() => caller.abort()), random: () => 1 })(model);
  await expect(call.generate(userRequest('Hi'), { signal: caller.signal })).rejects.toMatchObject({ code: 'aborted' });
  expect(model.requests).toHaveLength(1);
});

test('a sleep that ends early because of an abort ends the call', async () => {
  const caller = new AbortController();
  const model = scriptedModel([failing('unavailable'), fine]);
  const call = retry({ sleep: async () => caller.abort() })(model).generate(userRequest('Hi'), {
    signal: caller.signal,
  });
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
  expect(model.requests).toHaveLength(1);
});

test('any other error is rethrown immediately', async () => {
  const bug = { ...scriptedModel([]), generate: async () => Promise.reject(new TypeError('a bug')) };
  await expect(retry()(bug).generate(userRequest('Hi'))).rejects.toThrow(TypeError);
});

test('a wrapped model keeps its name and capabilities, and its spec contains the inner one', () => {
  const model = scriptedModel([], { name: 'inner', capabilities: { contextWindow: 9 } });
  const { name, capabilities, spec } = retry({ attempts: 2 })(model);
  expect([name, capabilities.contextWindow]).toEqual(['inner', 9]);
  expect(spec).toMatchObject({ kind: 'retry', attempts: 2, model: { kind: 'scripted', name: 'inner' } });
});

test('a malformed stream is retried without streaming, and its deltas are emitted together', async () => {
  const body = 'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\ndata: {broken}\n\n';
  const fault = { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body } as const;
  await using server = await scriptedServer([{ fault }, { text: 'Hello.' }]);
  const model = retry({ sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  const deltas: Delta[] = [];
  const { attempts } = await model.generate(userRequest('Hi'), { onDelta: (delta) => deltas.push(delta) });
  const streamed = server.requests.map(({ text }) => text.includes('"stream":true'));
  expect([attempts, streamed]).toEqual([2, [true, false]]);
  expect(deltas.map(({ kind }) => kind)).toEqual(['text', 'reset', 'text']);
  expect(deltas.at(-1)).toEqual({ kind: 'text', text: 'Hello.' });
});
