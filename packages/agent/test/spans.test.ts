import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { spansOf, type Span, type SpanSink } from '@varve/events/spans';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, think } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { delegationTools } from '../src/delegation-tools/delegation-kinds.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import { readEvents } from '../src/log/read-log.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';
import { tracedBy } from '../src/tracing/traced-by.ts';

const record: ScriptedTurn = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const workspace = process.cwd();

function recorder(more: Partial<SpanSink> = {}): { readonly spans: Span[]; readonly sink: SpanSink } {
  const spans: Span[] = [];
  return { spans, sink: { ...more, end: (span) => void spans.push(span) } };
}

async function storedSpans(store: EventStore, id: string): Promise<readonly Span[]> {
  const events = await Array.fromAsync(readEvents((await store.read(id)).range(0)), ({ event }) => event);
  return spansOf(id, events);
}

const recordingAgent = (turns: readonly ScriptedTurn[], confirmation = alwaysConfirm()) =>
  defineAgent({
    model: scriptedModel(turns),
    tools: () => [countingTool().tool(), think(), finish()],
    confirmation,
  });

/** Returns the names of spans as a tree. */
function treeOf(spans: readonly Span[], parent?: string): readonly unknown[] {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parent);
  return children.toSorted((a, b) => a.start - b.start).map(({ name, spanId }) => [name, ...treeOf(spans, spanId)]);
}

test('live spans are those of the stored log, also over a wait and another process', async () => {
  const store = memoryStore();
  const { spans, sink } = recorder();
  const first = await Conversation.create({ agent: recordingAgent([record]), store, workspace, spans: sink });
  await first.send('Go.');
  expect((await first.run()).reason).toBe('waiting');
  await first[Symbol.asyncDispose]();
  const again = { agent: recordingAgent([done]), store, id: first.id, spans: sink };
  await using second = await Conversation.open(again);
  await second.approve();
  await second.run();
  expect(spans).toEqual(await storedSpans(store, first.id));
  const [firstRun, ...others] = treeOf(spans);
  expect(firstRun).toEqual(['invoke_agent varve', ['step', ['chat scripted'], ['approval record']]]);
  expect(others).toEqual([
    ['invoke_agent varve', ['execute_tool record'], ['step', ['chat scripted'], ['execute_tool finish']]],
  ]);
});

test('the run of a sub-agent is part of the call that started it', async () => {
  const store = memoryStore();
  const { spans, sink } = recorder();
  const model = scriptedModel([{ text: 'Two.' }]);
  const counter = {
    name: 'counter',
    description: 'Counts.',
    create: (parent: Parameters<typeof derivedAgent>[0], place: Parameters<typeof derivedAgent>[2]) =>
      derivedAgent(parent, { instructions: 'Count.', model }, place),
  };
  const ask: ScriptedTurn = {
    calls: [{ name: 'task', arguments: { prompt: 'Count them.', subagent_type: 'counter' } }],
  };
  const agent = defineAgent({
    model: scriptedModel([ask, done]),
    subAgents: [counter],
    tools: (place) => [...delegationTools(place), finish()],
  });
  await using conversation = await Conversation.create({ agent, store, workspace, spans: sink });
  await conversation.send('How many?');
  await conversation.run();
  expect(treeOf(spans)).toEqual([
    [
      'invoke_agent varve',
      ['step', ['chat scripted'], ['execute_tool task', ['invoke_agent counter', ['step', ['chat scripted']]]]],
      ['step', ['chat scripted'], ['execute_tool finish']],
    ],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const child = spans.find(({ name }) => name === 'invoke_agent counter')?.attributes['gen_ai.conversation.id'];
  const stored = [...(await storedSpans(store, conversation.id)), ...(await storedSpans(store, String(child)))];
  expect(new Set(stored)).toEqual(new Set(spans));
});

test('a run that a crash cut off has its spans when the next one begins', async () => {
  const store = memoryStore();
  const { spans, sink } = recorder();
  const id = 'c'.repeat(32);
  const mortal = crashingStore(store, { at: 6, stored: false });
  const never = defineAgent({ model: scriptedModel([record]), tools: () => [countingTool().tool(), finish()] });
  const dies = async (): Promise<void> => {
    await using conversation = await Conversation.create({ agent: never, store: mortal, workspace, id, spans: sink });
    await conversation.send('Go.');
    await conversation.run();
  };
  await expect(dies()).rejects.toThrow(Crash);
  expect(spans.some(({ name }) => name === 'invoke_agent varve')).toBe(false);
  const agent = defineAgent({ model: scriptedModel([done]), tools: () => [countingTool().tool(), finish()] });
  await using conversation = await Conversation.open({ agent, store, id, spans: sink });
  await conversation.run();
  const runs = spans.filter(({ name }) => name === 'invoke_agent varve');
  expect(runs.map(({ attributes }) => attributes['error.type'])).toEqual(['cut-off', undefined]);
  expect(spans).toEqual(await storedSpans(store, id));
});

test('texts are sent on request only, without secrets', async () => {
  const texts = { calls: [{ name: 'think', arguments: { thought: 'It is hunter2-hunter2.' } }] };
  const json = async (content: boolean): Promise<string> => {
    const { spans, sink } = recorder({ content });
    const agent = defineAgent({ model: scriptedModel([texts, done]), tools: () => [think(), finish()] });
    const options = { agent, store: memoryStore(), workspace, secrets: ['hunter2-hunter2'], spans: sink };
    await using conversation = await Conversation.create(options);
    await conversation.send('My question.');
    await conversation.run();
    return JSON.stringify(spans);
  };
  expect(await json(false)).not.toMatch(/question|hunter2|It is/);
  expect(await json(true)).toMatch(/My question.*/);
  expect(await json(true)).not.toContain('hunter2');
});

test('a tracer of the application has the spans as children of its own', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const spans = tracedBy(provider.getTracer('test'));
  const agent = defineAgent({ model: scriptedModel([record, done]), tools: () => [countingTool().tool(), finish()] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace, spans });
  await conversation.send('Go.');
  await conversation.run();
  const finished = exporter.getFinishedSpans();
  const nameOf = (id?: string) => finished.find((span) => span.spanContext().spanId === id)?.name;
  expect(finished.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)])).toEqual([
    ['chat scripted', 'step'],
    ['execute_tool record', 'step'],
    ['step', 'invoke_agent varve'],
    ['chat scripted', 'step'],
    ['execute_tool finish', 'step'],
    ['step', 'invoke_agent varve'],
    ['invoke_agent varve', undefined],
  ]);
  expect(finished.at(-1)?.attributes).toMatchObject({ 'varve.status': 'finished' });
});
