import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { AzureOpenAI, OpenAI } from 'openai';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openaiChat } from '../src/chat/openai-chat.ts';
import { openaiResponses } from '../src/responses/openai-responses.ts';
import { userRequest } from '../src/testing/index.ts';

interface Arrival {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const completion = {
  id: 'r1',
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
};
const response = {
  id: 'r1',
  model: 'm',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }],
};

/** Serves one status and body at every path, and records the requests. */
async function serve(body: object, status = 200): Promise<{ readonly url: string; readonly arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, answer) => {
    const json: unknown = JSON.parse(await text(request));
    arrivals.push({ url: request.url, headers: request.headers, body: json });
    answer.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals };
}

test('a configured client sends with its own address, key, headers and query', async () => {
  const { url, arrivals } = await serve(completion);
  const client = new OpenAI({
    apiKey: 'own-key',
    baseURL: `${url}/gateway/v2`,
    organization: 'org-1',
    defaultHeaders: { 'x-tenant': 'blue' },
    defaultQuery: { region: 'eu' },
  });
  const model = openaiChat({ model: 'm', client });
  const reply = await model.generate(userRequest('Hi'));
  expect(reply.message.content).toMatchObject([{ text: 'Hello.' }]);
  expect(arrivals).toMatchObject([
    {
      url: '/gateway/v2/chat/completions?region=eu',
      headers: {
        authorization: 'Bearer own-key',
        'openai-organization': 'org-1',
        'x-tenant': 'blue',
        'user-agent': expect.stringMatching(/^OpenAI\/JS/),
        'content-type': 'application/json',
      },
      body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    },
  ]);
  expect(model.spec).toEqual({
    kind: 'openai-chat',
    model: 'm',
    baseUrl: `${url}/gateway/v2`,
    client: 'application',
  });
});

test('an Azure client sends to the deployment of the model, with its key and API version', async () => {
  const { url, arrivals } = await serve(completion);
  const client = new AzureOpenAI({
    endpoint: url,
    apiKey: 'azure-key',
    apiVersion: '2024-10-21',
    defaultHeaders: { 'x-tenant': 'blue' },
  });
  await openaiChat({ model: 'my-gpt', client }).generate(userRequest('Hi'));
  expect(arrivals).toMatchObject([
    {
      url: '/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21',
      headers: { 'api-key': 'azure-key', 'x-tenant': 'blue' },
      body: { model: 'my-gpt' },
    },
  ]);
  expect(arrivals[0]?.headers.authorization).toBe(undefined);
});

test('a client with a token provider asks it for the token', async () => {
  const { url, arrivals } = await serve(completion);
  const client = new AzureOpenAI({
    endpoint: url,
    azureADTokenProvider: async () => 'entra-token',
    apiVersion: '2024-10-21',
  });
  await openaiChat({ model: 'm', client }).generate(userRequest('Hi'));
  expect(arrivals[0]?.headers.authorization).toBe('Bearer entra-token');
});

test('the Responses protocol uses a configured client, too', async () => {
  const { url, arrivals } = await serve(response);
  const client = new OpenAI({ apiKey: 'own-key', baseURL: `${url}/v1`, defaultQuery: { region: 'eu' } });
  const reply = await openaiResponses({ model: 'm', client }).generate(userRequest('Hi'));
  expect(reply.message.content).toMatchObject([{ text: 'Hello.' }]);
  expect(arrivals).toMatchObject([
    { url: '/v1/responses?region=eu', headers: { authorization: 'Bearer own-key' }, body: { model: 'm' } },
  ]);
});

test('the retries of a client are off, and its failures are errors of the model', async () => {
  const { url, arrivals } = await serve({ error: { message: 'Slow down.' } }, 429);
  const client = new OpenAI({ apiKey: 'own-key', baseURL: url, maxRetries: 5 });
  await expect(openaiChat({ model: 'm', client }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'rate-limited',
    status: 429,
    message: `m at ${url} answered 429: Slow down.`,
  });
  expect(arrivals.length).toBe(1);
});

test('a redirect is not followed with a configured client', async () => {
  const { url, arrivals } = await serve({}, 307);
  const client = new OpenAI({ apiKey: 'own-key', baseURL: url });
  await expect(openaiChat({ model: 'm', client }).generate(userRequest('Hi'))).rejects.toMatchObject({ status: 307 });
  expect(arrivals.length).toBe(1);
});

test('no error contains a credential of a configured client', async () => {
  const { url } = await serve({ error: { message: 'Bad credentials: own-key-0123 and gateway-0456' } }, 401);
  const client = new OpenAI({
    apiKey: 'own-key-0123',
    baseURL: url,
    defaultHeaders: { 'x-gateway-token': 'gateway-0456' },
  });
  await expect(openaiChat({ model: 'm', client }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'unauthenticated',
    message: `m at ${url} answered 401: Bad credentials: [redacted] and [redacted]`,
  });
});

test('credentials that a client cannot supply are an error of the model', async () => {
  const { url } = await serve(completion);
  const client = new OpenAI({
    apiKey: async () => {
      throw new Error('The vault is locked.');
    },
    baseURL: url,
  });
  await expect(openaiChat({ model: 'm', client }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'unauthenticated',
    message: expect.stringContaining('The vault is locked.'),
  });
});

test('a configured client excludes options that it has itself', () => {
  const client = new OpenAI({ apiKey: 'own-key' });
  for (const options of [{ apiKey: 'x' }, { baseUrl: 'http://x.test' }, { headers: {} }, { fetch }]) {
    expect(() => openaiChat({ model: 'm', client, ...options })).toThrow(
      `The option "${Object.keys(options)[0]}" cannot be combined with "client".`,
    );
  }
});

const answerAfter1500Ms: typeof fetch = async () => {
  vi.advanceTimersByTime(1500);
  return Response.json(completion);
};

test('the latency of a reply is the time between its request and its end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:1', fetch: answerAfter1500Ms, stream: false });
  expect((await model.generate(userRequest('Hi'))).latencyMs).toBe(1500);
});
