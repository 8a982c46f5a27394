import { checkMessages } from '@varve/events/projections';
import { functionCalling, mockFunctionCalling, openaiChat, openaiResponses } from '@varve/llm';
import { scriptedResponses, scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const chunk = (delta: object, finishReason: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});
const piece = (index: number, json: string, id?: string): object =>
  chunk({
    tool_calls: [{ index, ...(id !== undefined && { id }), function: { name: id && 'record', arguments: json } }],
  });
const item = (output_index: number, content: object): object => ({
  type: 'response.output_item.done',
  output_index,
  item: content,
});
const call = { type: 'function_call', call_id: 'c', name: 'record', arguments: '{"text":"a"}' };
const completed = { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output: [] } };

/** Legal replies, as the values of their events. */
const replies: Readonly<Record<'chat' | 'responses', readonly (readonly object[])[]>> = {
  chat: [
    [
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo.' }),
      chunk({}, 'stop'),
      { choices: [], usage: { prompt_tokens: 7 } },
    ],
    [piece(0, '{"te', 'a'), piece(0, 'xt":"a"}'), piece(1, '{"text":"b"}', 'b'), chunk({}, 'tool_calls')],
    [
      chunk({ reasoning_details: [{ index: 0, type: 't', text: 'x' }] }),
      piece(0, '{"text":"a"}', 'a'),
      chunk({}, 'stop'),
    ],
    [
      chunk({ content: '<function=record>\n<parameter=text>' }),
      chunk({ content: 'hi</parameter>\n</function>' }, 'stop'),
    ],
  ],
  responses: [
    [
      item(0, { type: 'reasoning', id: 'i', summary: [{ text: 'Hm.' }], encrypted_content: 'e' }),
      { type: 'response.output_text.delta', output_index: 1, delta: 'Hi.' },
      item(1, { type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] }),
      item(2, call),
      completed,
    ],
  ],
};

const values = [
  'null',
  '[]',
  '{}',
  '-1',
  '1e999',
  '0.5',
  '"__proto__"',
  '"\\ud800"',
  '""',
  '"constructor"',
  '"\\u0000"',
];
const fields = ['__proto__', 'id', 'index', 'name', 'content', 'arguments', 'error', 'text', 'type', 'output_index'];
const strays = [
  'data: [DONE]',
  ': x',
  'data: {}',
  'data: {"error":{"message":"No."}}',
  'event: error\ndata: {}',
  'data: ',
];

/** A change of a list of events at a place, from 0 up to but not including 1. */
type Change = (events: readonly string[], place: number) => readonly string[];

const at = (list: readonly unknown[] | string, place: number): number => Math.floor(place * list.length);

/** Replaces the match of a pattern at a place in an event. */
const replacing =
  (pattern: RegExp, text: string): Change =>
  (events, place) => {
    const event = events[at(events, place)] ?? '';
    const matches = [...event.matchAll(pattern)];
    const match = matches[at(matches, (place * 97) % 1)];
    if (!match) return events;
    return events.with(
      at(events, place),
      event.slice(0, match.index) + text + event.slice(match.index + match[0].length),
    );
  };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<Change>(
    (events, place) => events.toSpliced(at(events, place), 1),
    (events, place) => events.toSpliced(at(events, place), 0, events[at(events, place)] ?? ''),
    (events, place) => events.slice(0, at(events, place)),
    (events, place) => [...events.slice(at(events, place)), ...events.slice(0, at(events, place))],
  ),
  fc.constantFrom(...values).map((value) => replacing(/(?<=:)(?:"(?:[^"\\]|\\.)*"|\d+|null|\[\])/g, value)),
  fc.constantFrom(...fields).map((field) => replacing(/"\w+"(?=:)/g, `"${field}"`)),
  fc.constantFrom(...strays).map(
    (stray): Change =>
      (events, place) =>
        events.toSpliced(at(events, place), 0, stray),
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map((sign) => replacing(/./g, sign)),
);

const changes = fc.array(fc.tuple(change, fc.double({ min: 0, max: 0.999, noNaN: true })), { maxLength: 4 });

const mutated = (protocol: 'chat' | 'responses'): fc.Arbitrary<ScriptedStep> =>
  fc
    .tuple(fc.constantFrom(...replies[protocol]), changes, fc.constantFrom(200, 200, 200, 429, 500))
    .map(([reply, done, status]) => {
      const legal: readonly string[] = reply.map((event) => `data: ${JSON.stringify(event)}`);
      const events = done.reduce((changed, [apply, place]) => apply(changed, place), legal);
      const body = events.map((event) => `${event}\n\n`).join('');
      return { fault: { kind: 'answer', status, headers: { 'content-type': 'text/event-stream' }, body } };
    });

const done: ScriptedStep = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const adapters = { chat: openaiChat, responses: openaiResponses };
const servers = { chat: scriptedServer, responses: scriptedResponses };
const wrappers = { native: functionCalling(), text: mockFunctionCalling() };

test.for([
  ['chat', 'native'],
  ['chat', 'text'],
  ['responses', 'native'],
] as const)(
  'mutated replies of %s, %s: each run ends with a reason, and the next one is legal',
  { timeout: 60_000 },
  async ([protocol, wrapper]) => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutated(protocol), { minLength: 1, maxLength: 3 }), async (steps) => {
        await using server = await servers[protocol]([...steps, ...Array.from({ length: 20 }, () => done)]);
        const model = wrappers[wrapper](adapters[protocol]({ model: 'm', baseUrl: server.url }));
        const agent = defineAgent({
          model,
          tools: () => [countingTool().tool(), finish()],
          budget: { maxIterations: 8 },
        });
        const store = memoryStore();
        const first = await Conversation.create({ agent, store, workspace: process.cwd() });
        await first.send('Go.');
        const end = await first.run({ onDelta: () => undefined });
        expect(end.reason === 'error' ? 'code' in end.error : true).toBe(true);
        await first[Symbol.asyncDispose]();
        await using again = await Conversation.open({ agent, store, id: first.id });
        await again.send('Go on.');
        expect(checkMessages(again.request().messages)).toEqual([]);
        await again.run();
        expect(checkMessages(again.request().messages)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  },
);
