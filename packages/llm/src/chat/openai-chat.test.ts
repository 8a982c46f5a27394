import { inspect } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { Delta } from '../delta.ts';
import { userRequest, scriptedServer, type ScriptedServer } from '../testing/index.ts';
import { openaiChat } from './openai-chat.ts';

const key = 'sk-test-0123456789abcdef';
const hello = { text: 'Hello.' };

const ignore = (): void => undefined;

function brokenDisplay(): never {
  throw new TypeError('broken display');
}

async function arrived({ requests }: ScriptedServer): Promise<void> {
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(0), { interval: 5, timeout: 20_000 });
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('the spec contains the options that rebuild the model, and no secret', () => {
  const headers = { 'x-api-key': 'also-secret' };
  const parameters = { temperature: 0 };
  const model = openaiChat({
    model: 'm',
    apiKey: key,
    baseUrl: 'http://localhost:1/',
    headers,
    parameters,
    vision: true,
  });
  expect(model.spec).toEqual({
    kind: 'openai-chat',
    headers: ['x-api-key'],
    model: 'm',
    baseUrl: 'http://localhost:1/v1',
    parameters,
    vision: true,
  });
  expect(model.capabilities).toEqual({ functionCalling: true, vision: true, streaming: true });
});

test('no error contains a key that the provider repeats', async () => {
  const echo = {
    kind: 'answer',
    status: 401,
    body: { error: { message: `Incorrect API key: ${key}, opaque header-0secret` } },
  } as const;
  await using server = await scriptedServer([{ fault: echo }]);
  const model = openaiChat({
    model: 'm',
    apiKey: key,
    baseUrl: server.url,
    headers: { 'x-api-key': 'header-0secret' },
  });
  const error: unknown = await model.generate(userRequest('Hi')).catch((caught: unknown) => caught);
  expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/0123456789abcdef|header-0secret/);
  expect(error).toMatchObject({ code: 'unauthenticated', status: 401 });
});

test('the key is sent in its header, and a placeholder where there is none', async () => {
  await using server = await scriptedServer([hello, hello], { apiKey: key });
  await openaiChat({ model: 'm', apiKey: ` ${key}\n`, baseUrl: server.url }).generate(userRequest('Hi'));
  await expect(openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${key}`, 'Bearer none']);
});

test.for([
  ['x-key', 'secret\nx-more: 1'],
  ['x-key', 'secret“'],
  ['x key', 'secret'],
])('a header that HTTP does not allow is rejected without its value: %j', ([name = '', value = '']) => {
  expect(() => openaiChat({ model: 'm', headers: { [name]: value } })).toThrow(
    expect.objectContaining({
      code: 'bad-request',
      message: `The header "${name}" contains a character that is not allowed in HTTP headers.`,
    }),
  );
});

test('a key that no header can carry is rejected', () => {
  expect(() => openaiChat({ model: 'm', apiKey: 'clé secrète' })).toThrow(
    'The API key contains a character that is not allowed in HTTP headers.',
  );
});

test('nothing is read from the environment, and only configured headers are sent', async () => {
  for (const name of ['BASE_URL', 'ORG_ID', 'PROJECT_ID', 'ADMIN_KEY', 'API_KEY'])
    vi.stubEnv(`OPENAI_${name}`, 'http://env.test');
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-leak: yes\nauthorization: Bearer env');
  vi.stubEnv('OPENAI_LOG', 'debug');
  await using server = await scriptedServer([hello]);
  await openaiChat({ model: 'm', apiKey: key, baseUrl: server.url, headers: { 'X-Title': 'mine' } }).generate(
    userRequest('Hi'),
  );
  const { connection: _c, host: _h, 'content-length': _l, ...sent } = server.requests[0]?.headers ?? {};
  expect(sent).toEqual({
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'user-agent': 'varve',
    'x-title': 'mine',
  });
});

test('nothing is printed when a stream breaks', async () => {
  const prints = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  vi.stubEnv('OPENAI_LOG', 'debug');
  const headers = { 'content-type': 'text/event-stream' };
  await using server = await scriptedServer([{ fault: { kind: 'answer', headers, body: 'data: {oops\n\n' } }]);
  await expect(
    openaiChat({ model: 'm', baseUrl: server.url, stream: true }).generate(userRequest('Hi')),
  ).rejects.toThrow('not valid JSON');
  expect(prints.flatMap((print) => print.mock.calls)).toEqual([]);
});

test('connections are reused after streamed replies', async () => {
  await using server = await scriptedServer(Array.from({ length: 6 }, () => hello));
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  for (let count = 0; count < 6; count += 1) await model.generate(userRequest('Hi'), { onDelta: ignore });
  // On a busy machine, the time between a response and its end can require a new connection.
  expect(new Set(server.requests.map(({ port }) => port)).size).toBeLessThan(6);
});

test('streaming is requested exactly when `onDelta` is passed or the option is set', async () => {
  await using server = await scriptedServer([hello, hello, hello, hello]);
  await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'), { onDelta: ignore });
  await openaiChat({ model: 'm', baseUrl: server.url, stream: true }).generate(userRequest('Hi'));
  await openaiChat({ model: 'm', baseUrl: server.url, stream: false }).generate(userRequest('Hi'), { onDelta: ignore });
  expect(server.requests.map(({ text }) => text.includes('"stream":true'))).toEqual([false, true, true, false]);
});

test('deltas are emitted even when streaming is off', async () => {
  const deltas: Delta[] = [];
  await using server = await scriptedServer([hello]);
  const model = openaiChat({ model: 'm', baseUrl: server.url, stream: false });
  await model.generate(userRequest('Hi'), { onDelta: (delta) => void deltas.push(delta) });
  expect(deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
});

test('a call that is aborted before the first byte closes its connection', async () => {
  await using server = await scriptedServer([{ ...hello, fault: { kind: 'hang', afterPieces: 0 } }]);
  const caller = new AbortController();
  const asked = openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'), { signal: caller.signal });
  const [result] = await Promise.allSettled([asked, arrived(server).then(() => caller.abort())]);
  expect(result).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
  expect(await server.requests[0]?.abandoned).toBe(true);
});

test('a call that is aborted within a stream closes its connection', async () => {
  await using server = await scriptedServer([{ ...hello, fault: { kind: 'hang', afterPieces: 1 } }]);
  const caller = new AbortController();
  const options = { signal: caller.signal, onDelta: () => caller.abort() };
  await expect(
    openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'), options),
  ).rejects.toMatchObject({
    code: 'aborted',
  });
  expect(await server.requests[0]?.abandoned).toBe(true);
});

test('a callback that throws ends the call with its own error and closes the connection', async () => {
  await using server = await scriptedServer([
    { text: 'A reply of several pieces.', fault: { kind: 'hang', afterPieces: 2 } },
  ]);
  const asked = openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'), { onDelta: brokenDisplay });
  await expect(asked).rejects.toThrow(TypeError);
  expect(await server.requests[0]?.abandoned).toBe(true);
});

test('a server that keeps a finished stream open does not delay the reply', async () => {
  const lastPiece = { ...hello, fault: { kind: 'hang', afterPieces: 3 } } as const;
  await using server = await scriptedServer([lastPiece]);
  const reply = await openaiChat({ model: 'm', baseUrl: server.url, stream: true }).generate(userRequest('Hi'));
  expect(reply.finish).toBe('stop');
});

test('a connection that breaks after the finish reason does not break the reply', async () => {
  await using server = await scriptedServer([{ ...hello, fault: { kind: 'reset', afterPieces: 2 } }]);
  const reply = await openaiChat({ model: 'm', baseUrl: server.url, stream: true }).generate(userRequest('Hi'));
  expect(reply.finish).toBe('stop');
});

test('a call that is aborted during its last delta is aborted', async () => {
  await using server = await scriptedServer([hello]);
  const caller = new AbortController();
  const model = openaiChat({ model: 'm', baseUrl: server.url, stream: false });
  const asked = model.generate(userRequest('Hi'), { signal: caller.signal, onDelta: () => caller.abort() });
  await expect(asked).rejects.toMatchObject({ code: 'aborted' });
});

test('the first byte may arrive late', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await scriptedServer([{ ...hello, gate: gate.promise }]);
  const asked = openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  await arrived(server);
  gate.resolve();
  expect((await asked).finish).toBe('stop');
});
