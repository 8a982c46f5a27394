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
