import type { BaseEvent } from '@varve/events';
import { AgentErrorEvent } from '@varve/events/kinds';
import { checkMessages, statsProjection, foldEvents } from '@varve/events/projections';
import { mockFunctionCalling, openaiChat, openaiResponses, type LanguageModel } from '@varve/llm';
import { scriptedResponses, scriptedServer, type ScriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

/** Runs an agent with a model over a real HTTP server. */
async function run(server: ScriptedServer, model: LanguageModel) {
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Record it.');
  const result = await conversation.run();
  const events: BaseEvent[] = [];
  for await (const { event } of conversation.events()) events.push(event);
  const errors = events.filter((event) => AgentErrorEvent.is(event)).map((event) => event.error);
  // A strict provider accepts every request, whatever the model wrote before it.
  expect(server.requests.flatMap(({ request }) => checkMessages(request?.messages ?? []))).toEqual([]);
  return { result, runs: [...runs], errors, events };
}

const protocols = {
  chat: { serve: (steps: readonly ScriptedStep[]) => scriptedServer(steps), adapter: openaiChat },
  responses: { serve: (steps: readonly ScriptedStep[]) => scriptedResponses(steps), adapter: openaiResponses },
};
const ways = Object.entries(protocols).flatMap(([name, protocol]) =>
  [true, false].map((stream) => ({ ...protocol, stream, name: `${name}, ${stream ? 'streamed' : 'whole'}` })),
);

const done: ScriptedStep = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const calling = (json: string, name = 'record'): ScriptedStep => ({ calls: [{ name, arguments: json }] });

interface Row {
  readonly title: string;
  readonly first: ScriptedStep;
  /** Recorded texts. */
  readonly runs: readonly string[];
  /** Error that the model reads, if any. */
  readonly error?: RegExp;
}

const rows: readonly Row[] = [
  { title: 'a trailing comma', first: calling('{"text": "a",}'), runs: ['a'] },
  { title: 'a raw line feed', first: calling('{"text": "a\nb"}'), runs: ['a\nb'] },
  { title: 'single quotes', first: calling("{'text': 'a'}"), runs: ['a'] },
  { title: 'a fence', first: calling('```json\n{"text": "a"}\n```'), runs: ['a'] },
  {
    title: 'arguments that cannot be repaired',
    first: calling('{"text": "a'),
    runs: [],
    error: /The arguments of record are not a JSON object/,
  },
  {
    title: 'arguments that are a list',
    first: calling('["a"]'),
    runs: [],
    error: /The arguments of record are not a JSON object/,
  },
  {
    title: 'a tool that does not exist',
    first: calling('{"text":"a"}', 'jump'),
    runs: [],
    error: /There is no tool jump\. The tools are: record, finish\./,
  },
  { title: 'a name with junk', first: calling('{"text":"a"}', 'functions.record:0'), runs: ['a'] },
  {
    title: 'two calls with one id',
    first: {
      calls: [
        { id: 'same', name: 'record', arguments: { text: 'a' } },
        { id: 'same', name: 'record', arguments: { text: 'b' } },
      ],
    },
    runs: ['a', 'b'],
  },
  { title: 'no arguments', first: calling(''), runs: [], error: /text/ },
  {
    title: 'arguments that the limit truncated, although they could be repaired',
    first: { calls: [{ name: 'record', arguments: '{"text": "a"' }], finish: 'length' },
    runs: [],
    error: /./,
  },
  { title: 'reasoning alone', first: { reasoning: 'I record a.' }, runs: [] },
];

describe.for(ways)('over $name', ({ serve, adapter, stream }) => {
  test.for(rows)('$title', async ({ first, runs, error }) => {
    await using server = await serve([first, done]);
    const seen = await run(server, adapter({ model: 'm', baseUrl: server.url, stream }));
    expect(seen.result).toMatchObject({ reason: 'finished', text: 'Done.' });
    expect(seen.runs).toEqual(runs.map((text) => [text, 1]));
    expect(seen.errors.map((message) => error?.test(message))).toEqual(error ? [true] : []);
    server.assertDone();
  });

  test('invalid calls in the text end a run as stuck, and all of them are counted', async () => {
    const malformed: ScriptedStep = {
      text: '<function=record>\n<parameter=txt>a</parameter>\n</function>',
      usage: { input_tokens: 9, output_tokens: 3 },
    };
    await using server = await serve(Array.from({ length: 9 }, () => malformed));
    const model = mockFunctionCalling()(adapter({ model: 'm', baseUrl: server.url, stream }));
    const { result, runs, errors, events } = await run(server, model);
    expect([result.reason, runs]).toEqual(['stuck', []]);
    expect(errors.length).toBe(server.requests.length);
    const stats = foldEvents(statsProjection, events);
    expect(JSON.stringify(stats)).toContain(`"input_tokens":${9 * server.requests.length}`);
  });
});
