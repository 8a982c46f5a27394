import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { testKey } from '../../../test/support/requests.ts';
import { homeServer } from '../../../test/support/home-server.ts';

const answer = (text: string): ScriptedStep => ({
  calls: [{ name: 'finish', arguments: { message: text } }],
});
const user = { role: 'user', content: 'Hello.' };

async function gateway(steps: readonly ScriptedStep[]) {
  const model = await scriptedServer(steps);
  onTestFinished(() => model[Symbol.asyncDispose]());
  const place = homeServer();
  const llm = { model: 'openai/scripted', base_url: model.url, api_key: 'sk-of-the-gateway', num_retries: 0 };
  await place.call(201, 'POST', '/api/profiles/fast', { llm });
  const send = (body: object, headers: Readonly<Record<string, string>> = { authorization: `Bearer ${testKey}` }) =>
    place.server.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { ...place, model, send };
}

test('each profile is a model', async () => {
  const place = await gateway([]);
  expect(await place.call(200, 'GET', '/v1/models')).toEqual({
    object: 'list',
    data: [{ id: 'openhands_fast', created: 0, object: 'model', owned_by: 'openhands', shutdown_date: null }],
  });
});

test('an agent answers the last message of the user, and a header continues its conversation', async () => {
  const { send, model } = await gateway([answer('One.'), answer('Two.')]);
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Not sent.' },
    { role: 'assistant', content: 'Not sent.' },
    { role: 'user', content: [{ type: 'text', text: 'Sent.' }] },
  ];
  const first = await send({ model: 'openhands_fast', messages, temperature: 0 });
  const id = first.headers.get('x-openhands-serverconversation-id') ?? '';
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({
    object: 'chat.completion',
    model: 'openhands_fast',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'One.' } }],
    usage: { total_tokens: expect.any(Number) as unknown },
  });
  expect(model.requests[0]?.text).toContain('Be brief.');
  expect(model.requests[0]?.text).not.toContain('Not sent.');
  const headers = { authorization: `Bearer ${testKey}`, 'X-OpenHands-ServerConversation-ID': id };
  const second = await send({ model: 'openhands_fast', messages: [{ role: 'user', content: 'More.' }] }, headers);
  expect(await second.json()).toMatchObject({ choices: [{ message: { content: 'Two.' } }] });
  expect(second.headers.get('x-openhands-serverconversation-id')).toBe(id);
  expect(model.requests[1]?.text).toContain('Sent.');
});

test('a stream has one piece of text, the usage if it is wanted, and an end', async () => {
  const { send } = await gateway([answer('Streamed.')]);
  const body = { model: 'openhands_fast', messages: [user], stream: true, stream_options: { include_usage: true } };
  const response = await send(body, { 'X-Session-API-Key': testKey });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const lines = (await response.text()).split('\n\n').filter(Boolean);
  expect(lines).toHaveLength(5);
  expect(lines[1]).toContain('"content":"Streamed."');
  expect(lines[3]).toContain('"usage":{');
  expect(lines[4]).toBe('data: [DONE]');
});

test('a stream begins before its run has ended, and a failure is its last event', async () => {
  const gate = Promise.withResolvers<void>();
  const { send } = await gateway([{ text: 'Late.', gate: gate.promise }, { error: { code: 'bad-request' } }]);
  const body = { model: 'openhands_fast', messages: [user], stream: true };
  const response = await send(body);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"role":"assistant"');
  gate.resolve();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('Late.');
  const failed = (await (await send(body)).text()).split('\n\n').filter(Boolean);
  expect(failed.at(-1)).toMatch(/^data: \{"error":\{"message":".*","type":"server_error"/);
});

test('errors have the form of OpenAI, and nothing is repeated once a run has begun', async () => {
  const { send } = await gateway([{ error: { code: 'bad-request' } }]);
  const unknown = await send({ model: 'openhands_none', messages: [user] });
  expect(await unknown.json()).toMatchObject({
    detail: "The model 'openhands_none' does not exist.",
    error: { message: "The model 'openhands_none' does not exist.", type: 'invalid_request_error' },
  });
  expect(unknown.headers.get('x-should-retry')).toBeNull();
  const refused = await send({}, { authorization: 'Bearer wrong' });
  expect(await refused.json()).toMatchObject({ error: { message: 'Unauthorized', type: 'authentication_error' } });
  const invalid = await send({ messages: [user] });
  expect(await invalid.json()).toMatchObject({ error: { message: expect.stringContaining('model') as unknown } });
  const failed = await send({ model: 'openhands_fast', messages: [user] });
  expect(failed.status).toBe(500);
  expect(failed.headers.get('x-should-retry')).toBe('false');
  expect(await failed.json()).toMatchObject({
    error: { message: '500: The run ended with the status error.', type: 'server_error' },
  });
});

test.for([
  { tools: [{ type: 'function', function: { name: 'f' } }] },
  { functions: [{ name: 'f' }] },
  { n: 2 },
  { response_format: { type: 'json_object' } },
  { modalities: ['text', 'audio'] },
])('a request for what the gateway does not do is refused: %j', async (fields) => {
  const { send, model } = await gateway([answer('One.')]);
  const response = await send({ model: 'openhands_fast', messages: [user], ...fields });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`The field ${Object.keys(fields)[0] ?? ''} is not supported`);
  expect(model.requests).toEqual([]);
});

test('what says the same as no field is accepted', async () => {
  const { send } = await gateway([answer('One.')]);
  const same = { tools: [], n: 1, response_format: { type: 'text' }, logprobs: false, functions: null };
  expect((await send({ model: 'openhands_fast', messages: [user], ...same })).status).toBe(200);
});

test('the model of the settings, such as LLM_MODEL, is a model', async () => {
  await using model = await scriptedServer([answer('Of the variable.')]);
  const env = { LLM_MODEL: 'openai/scripted', LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-of-the-gateway' };
  const place = homeServer({ env });
  const { data } = (await place.call(200, 'GET', '/v1/models')) as {
    readonly data: readonly { readonly id: string }[];
  };
  expect(data.map(({ id }) => id)).toEqual(['openhands_default']);
  const response = await place.server.request('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: 'openhands_default', messages: [user] }),
  });
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Of the variable.' } }] });
});

test('requests that cannot be answered have the statuses of the reference', async () => {
  const { send } = await gateway([{ error: { code: 'bad-request' } }]);
  const statusOf = async (body: object, headers?: Readonly<Record<string, string>>) =>
    (await send({ model: 'openhands_fast', messages: [user], ...body }, headers)).status;
  expect(await statusOf({}, { authorization: 'Bearer wrong' })).toBe(401);
  for (const model of ['openhands_none', 'gpt', 'openhands_../x']) expect(await statusOf({ model })).toBe(404);
  expect(await statusOf({ messages: [{ role: 'system', content: 'x' }] })).toBe(400);
  expect(await statusOf({ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] })).toBe(400);
  const bad = { authorization: `Bearer ${testKey}`, 'X-OpenHands-Observability-Metadata': '[' };
  expect(await statusOf({}, bad)).toBe(422);
  expect(await statusOf({})).toBe(500);
});
