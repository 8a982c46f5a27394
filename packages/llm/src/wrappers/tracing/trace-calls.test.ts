import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import type { LanguageModel } from '../../language-model.ts';
import { openaiChat } from '../../chat/openai-chat.ts';
import { retry } from '../../retry.ts';
import { userRequest, languageModelContract, scriptedModel, scriptedServer } from '../../testing/index.ts';
import { traceCalls } from './trace-calls.ts';
import type { OpenModel } from '../../testing/contract/model-check.ts';

function recorder() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() };
}

const tracing: OpenModel = async (steps) => {
  const server = await scriptedServer(steps);
  const model = traceCalls({ ...recorder(), content: true })(openaiChat({ model: 'scripted', baseUrl: server.url }));
  return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

describe('a traced model', () => {
  test.for(languageModelContract)('$title', (check) => check.run(tracing));
});

test('a call is a span with the request, the usage and the server', async () => {
  const { tracer, spans } = recorder();
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, cache_write_tokens: 1 };
  await using server = await scriptedServer([{ text: 'Hello.', id: 'r1', usage, costUsd: 0.5 }]);
  const model = traceCalls({ tracer })(retry()(openaiChat({ model: 'm', baseUrl: server.url })));
  const parameters = { temperature: 0, topP: 0.5, maxOutputTokens: 9, seed: 3 };
  await model.generate(userRequest('my question', { parameters, cacheKey: 'c1' }));
  const [span] = spans();
  expect([span?.name, span?.kind, span?.status.code]).toEqual(['chat m', SpanKind.CLIENT, SpanStatusCode.UNSET]);
  expect(span?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': '127.0.0.1',
    'gen_ai.request.model': 'm',
    'gen_ai.conversation.id': 'c1',
    'gen_ai.request.temperature': 0,
    'gen_ai.request.top_p': 0.5,
    'gen_ai.request.max_tokens': 9,
    'gen_ai.request.seed': 3,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(server.url).port),
    'gen_ai.response.id': 'r1',
    'gen_ai.response.model': 'm',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.cache_creation.input_tokens': 1,
    'varve.cost_usd': 0.5,
    'varve.attempts': 1,
  });
});

test('a failure is the error of its span', async () => {
  const { tracer, spans } = recorder();
  const model = traceCalls({ tracer })(scriptedModel([{ error: { code: 'quota', message: 'No credit.' } }]));
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'quota' });
  expect(spans()[0]?.attributes['error.type']).toBe('quota');
  expect(spans()[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'No credit.' });
});

test('a bug is an error without details', async () => {
  const { tracer, spans } = recorder();
  const broken: LanguageModel = { ...scriptedModel([]), generate: () => Promise.reject(new TypeError('my question')) };
  await expect(traceCalls({ tracer })(broken).generate(userRequest('Hi'))).rejects.toThrow(TypeError);
  expect([spans()[0]?.attributes['error.type'], spans()[0]?.status.message]).toEqual(['_OTHER', 'A bug.']);
});

test('the first delta and each reset are events', async () => {
  const { tracer, spans } = recorder();
  const broken = { text: 'A long reply.', fault: { kind: 'reset', afterPieces: 1 } } as const;
  const patient = retry({ sleep: async () => undefined });
  const model = traceCalls({ tracer })(patient(scriptedModel([broken, { text: 'A long reply.' }])));
  await model.generate(userRequest('Hi'), { onDelta: () => undefined });
  expect(spans()[0]?.events.map(({ name }) => name)).toEqual(['varve.first_piece', 'varve.reset', 'varve.first_piece']);
});

test('content is only added to spans on request, and never with secrets', async () => {
  const { tracer, spans } = recorder();
  const call = { id: 'a', name: 'grep', arguments: '{"pattern":"x"}' };
  const script = [{ text: 'It is hunter2-hunter2.', reasoning: 'Hm.', calls: [call] }];
  const request = userRequest('my question', { tools: [{ name: 'grep', description: 'Searches.', parameters: {} }] });
  await traceCalls({ tracer })(scriptedModel(script)).generate(request);
  expect(JSON.stringify(spans()[0]?.attributes)).not.toMatch(/question|hunter2/);
  await traceCalls({ tracer, content: true, secrets: ['hunter2-hunter2'] })(scriptedModel(script)).generate(request);
  const content = spans()[1]?.attributes ?? {};
  expect(JSON.parse(String(content['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'my question' }] },
  ]);
  expect(JSON.parse(String(content['gen_ai.output.messages']))).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'Hm.' },
        { type: 'text', content: 'It is [redacted].' },
        { type: 'tool_call', ...call },
      ],
      finish_reason: 'tool_call',
    },
  ]);
  expect(JSON.parse(String(content['gen_ai.tool.definitions']))).toMatchObject([{ type: 'function', name: 'grep' }]);
});

const fetch: typeof globalThis.fetch = async () => new Response('', { status: 500 });

test.for([
  ['https://api.openai.com', 'openai', 443],
  ['https://mine.openai.azure.com/openai/v1', 'azure.ai.openai', 443],
  ['https://api.x.ai', 'x_ai', 443],
  ['https://openrouter.ai/api/v1', 'openrouter.ai', 443],
  ['http://vllm.test', 'vllm.test', 80],
] as const)('the provider at %s is %s', async ([baseUrl, name, port]) => {
  const { tracer, spans } = recorder();
  await traceCalls({ tracer })(openaiChat({ model: 'm', baseUrl, fetch }))
    .generate(userRequest('Hi'))
    .catch(() => undefined);
  const { attributes } = spans()[0] ?? {};
  expect([attributes?.['gen_ai.provider.name'], attributes?.['server.port']]).toEqual([name, port]);
});

test('without a registered tracer nothing is recorded and calls succeed', async () => {
  expect(trace.getActiveSpan()).toBe(undefined);
  expect((await traceCalls()(scriptedModel([{ text: 'Hi.' }])).generate(userRequest('Hi'))).finish).toBe('stop');
});
