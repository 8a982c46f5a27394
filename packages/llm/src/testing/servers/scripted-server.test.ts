import { expect, test } from 'vitest';
import { scriptedServer } from './scripted-server.ts';
import type { ScriptedServer } from './serve-script.ts';

type Fields = Readonly<Record<string, unknown>>;

async function post({ url }: ScriptedServer, fields: Fields = {}, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields });
  return fetch(`${url}/chat/completions`, { method: 'POST', body, ...(signal && { signal }) });
}

test('a reply is one completion, or events with an end marker', async () => {
  const turn = { text: 'Hello, world.', usage: { input_tokens: 3 } };
  await using server = await scriptedServer([turn, turn, turn]);
  const whole: unknown = await (await post(server)).json();
  expect(whole).toMatchObject({ choices: [{ message: { content: 'Hello, world.' } }], usage: { prompt_tokens: 3 } });
  const events = (await (await post(server, { stream: true })).text()).trim().split('\n\n');
  expect([events.length, events.at(-1), events.some((event) => event.includes('usage'))]).toEqual([
    4,
    'data: [DONE]',
    false,
  ]);
  const stream = await (await post(server, { stream: true, stream_options: { include_usage: true } })).text();
  expect(stream).toContain('"prompt_tokens":3');
  server.assertDone();
});

test('a raw response is sent unchanged', async () => {
  const raw = { kind: 'answer', status: 418, headers: { 'content-type': 'text/plain' } } as const;
  await using server = await scriptedServer([
    { fault: { ...raw, body: 'tea' } },
    { fault: { ...raw, body: { a: 1 } } },
  ]);
  for (const body of ['tea', '{"a":1}']) {
    const answer = await post(server);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([418, 'text/plain', body]);
  }
});

async function* twoPieces(between: Promise<void>): AsyncGenerator<string | Uint8Array> {
  yield 'one';
  await between;
  yield new TextEncoder().encode('tẅo');
}

test('the pieces of a raw response are sent as they arrive', async () => {
  const read = Promise.withResolvers<void>();
  await using server = await scriptedServer([{ fault: { kind: 'answer', body: twoPieces(read.promise) } }]);
  const pieces: string[] = [];
  for await (const bytes of (await post(server)).body ?? []) {
    pieces.push(new TextDecoder().decode(bytes));
    read.resolve();
  }
  expect(pieces).toEqual(['one', 'tẅo']);
});

test('models are listed, and any other model is not found', async () => {
  await using server = await scriptedServer([], { models: ['a', 'b'] });
  const listed: unknown = await (await fetch(`${server.url}/models`)).json();
  expect(listed).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
  expect((await post(server)).status).toBe(404);
});

test('requests are recorded with their parsed form', async () => {
  await using server = await scriptedServer([{ text: 'Hello.' }]);
  await post(server, { temperature: 0.5 });
  const [recorded] = server.requests;
  expect(recorded).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    request: { parameters: { temperature: 0.5 } },
  });
  expect(recorded?.request?.messages[0]).toMatchObject({ role: 'user', content: [{ text: 'Hi' }] });
  expect(await recorded?.abandoned).toBe(false);
});

test('a request without a step is answered, and reported at the end', async () => {
  await using server = await scriptedServer([]);
  const answer: unknown = await (await post(server)).json();
  expect(answer).toMatchObject({ error: { code: 'script_mismatch' } });
  expect(() => server.assertDone()).toThrow('Request 1 was not expected');
});

test('an invalid body and an unknown path are answered with an error', async () => {
  await using server = await scriptedServer([]);
  const broken = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{' });
  expect([broken.status, (await fetch(`${server.url}/nothing`)).status]).toEqual([400, 404]);
});

test('a client may disconnect early', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await scriptedServer([{ text: 'x'.repeat(1000), gate: gate.promise }, { text: 'Still here.' }]);
  const client = new AbortController();
  const response = post(server, { stream: true }, client.signal);
  const leave = async (): Promise<void> => {
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    client.abort();
    await server.requests[0]?.abandoned;
    gate.resolve();
  };
  const [result] = await Promise.allSettled([response, leave()]);
  expect(result.status).toBe('rejected');
  expect(await (await post(server)).text()).toContain('Still here.');
});

test('disposing closes connections that hang', async () => {
  const server = await scriptedServer([{ text: 'x', fault: { kind: 'hang', afterPieces: 0 } }]);
  const response = post(server);
  const dispose = async (): Promise<void> => {
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await server[Symbol.asyncDispose]();
  };
  const [result] = await Promise.allSettled([response, dispose()]);
  expect(result.status).toBe('rejected');
});
