import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Conversation, defineAgent } from '@varve/agent';
import type { Span } from '@varve/events/spans';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { expect, test } from 'vitest';
import { otlpExporter } from './otlp-exporter.ts';
import { otlpFrom } from './otlp-from.ts';
import { otlpSettings } from './otlp-variables.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Starts a collector that answers with these statuses in order, then with 200; 0: never. */
async function collector(statuses: readonly number[] = []) {
  const requests: Received[] = [];
  const left = [...statuses];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers, body: await json(request) });
    const status = left.shift() ?? 200;
    if (status !== 0) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, requests, [Symbol.asyncDispose]: close };
}

type Collector = Awaited<ReturnType<typeof collector>>;

const span = (number: number): Span => ({
  traceId: 'a'.repeat(32),
  spanId: String(number).padStart(16, '0'),
  name: 'chat m',
  kind: 'client',
  start: Date.UTC(2026, 0, 1) * 1000,
  end: Date.UTC(2026, 0, 1) * 1000 + 1_500_000,
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 10, 'varve.cost_usd': 1 },
});

const never = () => ({ [Symbol.dispose]: () => undefined });

/** Returns an exporter that sends only when it is flushed, and what it reported. */
function exporter({ url }: Pick<Collector, 'url'>, env: Readonly<Record<string, string>> = {}) {
  const problems: string[] = [];
  const settings = otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: 'none', ...env });
  if (!settings) throw new Error('The variables name no address.');
  const onProblem = (problem: string): void => void problems.push(problem);
  const sink = otlpExporter({ ...settings, onProblem, every: never, now: () => Date.UTC(2026, 0, 1), endMs: 50 });
  return { sink, problems };
}

const namesOf = (requests: readonly Received[]): readonly string[] =>
  requests.flatMap(({ body }) =>
    Array.from(JSON.stringify(body).matchAll(/"spanId":"0*(\d+)"/g), ([, number = '']) => number),
  );

const hex = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)) as string;

const point = (count: string) => ({
  attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
  startTimeUnixNano: '1767225600000000000',
  timeUnixNano: '1767225600000000000',
  count,
  sum: Number(count) * 1.5,
  bucketCounts: ['0', '0', '0', '0', '0', '0', '0', '0', count, '0', '0', '0', '0', '0', '0'],
  explicitBounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
});

test('spans of a run reach a collector in the form of OTLP over HTTP', async () => {
  await using received = await collector();
  const headers = 'authorization=Basic%20YTpi,x-tenant=t1';
  {
    await using sink = await otlpFrom({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${received.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: headers,
      OTEL_SERVICE_NAME: 'tests',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=ci,service.instance.id=i1',
    });
    const done = { calls: [{ name: 'finish', arguments: { message: 'A secret.' } }] };
    const agent = defineAgent({ model: scriptedModel([done]), tools: () => [finish()] });
    const options = { agent, store: memoryStore(), workspace: process.cwd(), spans: sink };
    await using conversation = await Conversation.create(options);
    await conversation.send('A secret.');
    await conversation.run();
  }
  const traces = received.requests.find(({ path }) => path === '/v1/traces');
  expect(traces?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Basic YTpi',
    'x-tenant': 't1',
  });
  const nanos = expect.stringMatching(/^\d{19}$/) as string;
  const shape = (name: string, kind: number) => ({
    name,
    kind,
    traceId: hex(32),
    spanId: hex(16),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    status: {},
  });
  expect(traces?.body).toMatchObject({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.instance.id', value: { stringValue: 'i1' } },
            { key: 'service.name', value: { stringValue: 'tests' } },
            { key: 'deployment.environment.name', value: { stringValue: 'ci' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'varve' },
            spans: [
              shape('chat scripted', 3),
              shape('execute_tool finish', 1),
              shape('step', 1),
              shape('invoke_agent varve', 1),
            ],
          },
        ],
      },
    ],
  });
  expect(JSON.stringify(received.requests.map(({ body }) => body))).not.toContain('secret');
  expect(received.requests.map(({ path }) => path)).toContain('/v1/metrics');
});

test('what a collector cannot take is sent again, what it refuses is dropped, and one problem is reported', async () => {
  await using received = await collector([503, 400]);
  const { sink, problems } = exporter(received);
  sink.end(span(1));
  await sink.flush();
  await sink.flush();
  sink.end(span(2));
  await sink.flush();
  expect(namesOf(received.requests)).toEqual(['1', '1', '2']);
  expect(problems).toEqual([`OpenTelemetry: ${received.url}/v1/traces answered with status 503.`]);
});

test('a queue is bounded, and sent in parts', async () => {
  await using received = await collector([503]);
  const { sink, problems } = exporter(received);
  for (let number = 1; number <= 2050; number += 1) sink.end(span(number));
  await sink.flush();
  await sink.flush();
  const [, ...later] = received.requests;
  expect(namesOf(later)).toHaveLength(2048);
  expect(later).toHaveLength(16);
  expect(problems).toHaveLength(1);
});

test('a collector that does not answer does not keep the process from its end', async () => {
  await using received = await collector([0]);
  const { sink } = exporter(received, { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' });
  sink.end(span(1));
  await sink[Symbol.asyncDispose]();
  expect(received.requests).toHaveLength(1);
});

test('sends that waited while a collector did not answer do not delay the end', async () => {
  let sends = 0;
  const fetch = async (_url: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    sends += 1;
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    throw new Error('Aborted.');
  };
  const settings = otlpSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/v1/traces' });
  if (!settings) throw new Error('The variables name no address.');
  const sink = otlpExporter({ ...settings, onProblem: () => undefined, every: never, endMs: 1, fetch });
  sink.end(span(1));
  for (let tick = 0; tick < 9; tick++) void sink.flush();
  await sink[Symbol.asyncDispose]();
  expect(sends).toBe(1);
});

test('a problem names the address without its credentials', async () => {
  const { sink, problems } = exporter({ url: 'http://user:hunter2@127.0.0.1:1/a?key=hunter2' });
  sink.end(span(1));
  await sink.flush();
  expect(problems).toHaveLength(1);
  expect(problems[0]).not.toContain('hunter2');
});

test.for([
  ['cumulative', 2, ['1', '2']],
  ['delta', 1, ['1', '1']],
] as const)('tokens and durations are %s metrics', async ([preference, temporality, counts]) => {
  await using received = await collector();
  const { sink } = exporter(received, {
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: preference,
  });
  for (const number of [1, 2]) {
    sink.end(span(number));
    await sink.flush();
  }
  const metrics = (count: string) => [
    {
      name: 'gen_ai.client.inference.duration',
      unit: 's',
      histogram: { aggregationTemporality: temporality, dataPoints: [point(count)] },
    },
    {
      name: 'gen_ai.client.inference.usage.input_tokens',
      unit: '{token}',
      sum: {
        aggregationTemporality: temporality,
        isMonotonic: true,
        dataPoints: [{ asInt: String(Number(count) * 10) }],
      },
    },
  ];
  expect(received.requests.map(({ path, body }) => [path, body])).toMatchObject(
    counts.map((count) => ['/v1/metrics', { resourceMetrics: [{ scopeMetrics: [{ metrics: metrics(count) }] }] }]),
  );
});

test('the variables of a signal replace those of all, and one of them turns everything off', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/otel/v1/traces',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=100%,b = 2%3D',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'TRUE',
  };
  expect(otlpSettings(env)).toMatchObject({
    traces: { url: 'http://b/otel/v1/traces', headers: { a: '100%', b: '2=' } },
    metrics: { url: 'http://a:4318/v1/metrics', headers: { a: '1' } },
    resource: { 'service.name': 'varve' },
    content: true,
  });
  expect(otlpSettings({ ...env, OTEL_SDK_DISABLED: 'true' })).toBe(undefined);
  expect(otlpSettings({ OTEL_EXPORTER_OTLP_HEADERS: 'a=1' })).toBe(undefined);
});
