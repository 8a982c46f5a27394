import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, AgentErrorEvent } from '@varve/events/kinds';
import { mockFunctionCalling, type LanguageModel } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { expect, test } from 'vitest';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const record = (text: string): string => `<function=record>\n<parameter=text>${text}</parameter>\n</function>`;
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };

/** Runs an agent whose model writes its calls into its text. */
async function run(steps: readonly ScriptedTurn[]) {
  const inner = scriptedModel(steps, { prompted: true });
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model: mockFunctionCalling()(inner), tools: () => [tool(), finish()] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Record a.');
  const result = await conversation.run();
  const events: BaseEvent[] = [];
  for await (const { event } of conversation.events()) events.push(event);
  const errors = events.filter((event) => AgentErrorEvent.is(event)).map((event) => event.error);
  const prompts = inner.requests.map(({ messages }) => textOf(messages.at(-1)?.content ?? []));
  const replies = inner.requests.map(({ messages }) => textOf(messages.at(-2)?.content ?? []));
  return { result, runs, errors, prompts, replies };
}

test('an agent runs the calls that its model writes into its text', async () => {
  const { result, runs, prompts } = await run([{ text: `I record.\n\n${record('a')}` }, done]);
  expect(result).toMatchObject({ reason: 'finished', text: 'All done.' });
  expect([...runs]).toEqual([['a', 1]]);
  expect(prompts[1]).toMatch(/^EXECUTION RESULT of \[record\]:\n/);
});

test.for([
  ['an unknown tool', '<function=note>\n</function>', 'There is no tool note. The tools are: record, finish.'],
  [
    'an unknown parameter',
    '<function=record>\n<parameter=txt>a</parameter>\n</function>',
    'record has no parameter txt. Its parameters are: ',
  ],
  ['a missing parameter', '<function=record>\n</function>', 'text'],
])('%s is reported to the model, which continues', async ([, written = '', problem = '']) => {
  const { result, runs, errors, prompts } = await run([{ text: written }, { text: record('a') }, done]);
  expect([result.reason, [...runs]]).toEqual(['finished', [['a', 1]]]);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(problem);
  expect(prompts[1]).toContain(problem);
});

test('a call that the output limit cut is not run, even if its beginning is valid', async () => {
  const cut = { text: '<function=record>\n<parameter=text>a', finish: 'length' } as const;
  const { result, runs, errors } = await run([cut, { text: record('b') }, done]);
  expect([result.reason, [...runs], errors.length]).toEqual(['finished', [['b', 1]], 1]);
});

test.for([
  ['without an end', `<function=record>\n<parameter=text>a</parameter> and so on`, '\n</function>'],
  ['whose value has two ends', record('a</parameter>\n'), ''],
])('a model reads back a call %s as it wrote it', async ([, written = '', added = '']) => {
  const step: ScriptedTurn = { text: written };
  // Twice, because a reply whose value has no end is requested again without stop strings.
  const { result, runs, replies } = await run([step, step, done]);
  expect([result.reason, [...runs]]).toEqual(['finished', []]);
  expect(replies.at(-1)).toBe(`${written}${added}`);
});

test('the same task leads to the same calls and the same state with native and mock function calling', async () => {
  const script: readonly ScriptedTurn[] = [
    { text: 'First.', calls: [{ name: 'record', arguments: { text: 'one\n two' } }] },
    { calls: [{ name: 'record', arguments: { text: '</parameter>' } }] },
    done,
  ];
  const native = scriptedModel(script);
  const mock = mockFunctionCalling()(scriptedModel(script, { prompted: true }));
  const [one, other] = [await outcome(native), await outcome(mock)];
  expect(other).toEqual(one);
  expect(one.calls).toHaveLength(3);
});

/** Calls, results and state of a run, without ids and times. */
async function outcome(model: LanguageModel) {
  const { tool, runs } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), finish()] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Record both.');
  const result = await conversation.run();
  const events: BaseEvent[] = [];
  for await (const { event } of conversation.events()) events.push(event);
  const calls = events.flatMap((event) =>
    ActionEvent.is(event) ? [[event.tool_name, event.action, event.thought]] : [],
  );
  const kinds = events.map(({ kind }) => kind);
  const figures = { usage: undefined, activeMs: undefined };
  return { result: { ...result, ...figures }, calls, kinds, runs: [...runs], status: conversation.state.status };
}
