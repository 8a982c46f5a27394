import { expect, test } from 'vitest';
import { text, textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { TerminalObservation } from '@varve/events/payloads';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { detectLoop } from '../src/stuck/detect-loop.ts';
import { turnsOf } from '../src/stuck/turns.ts';
import { stuckRules } from '../src/stuck/stuck-rules.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const record = (recorded: string): ScriptedTurn => ({
  text: 'Hm.',
  calls: [{ name: 'record', arguments: { text: recorded } }],
});
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** A tool whose output changes with every call. */
function clock(): Tool {
  let time = 0;
  const input = z.object({});
  return defineTool({
    name: 'clock',
    description: 'Returns the time.',
    input,
    effect: 'read',
    execute: async () => `${++time}`,
  });
}

async function started(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const { tool } = countingTool();
  const agent = defineAgent({ model, tools: () => [tool(), clock(), finish()], ...options });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model, agent, store };
}

async function nudgesOf(conversation: Conversation): Promise<readonly string[]> {
  const events = await Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);
  const nudges = events.filter((event) => MessageEvent.is(event)).filter(({ source }) => source === 'environment');
  return nudges.map(({ llm_message }) => textOf(llm_message.content));
}

test('the same call with the same result leads to one nudge, then ends the run, and another run continues', async () => {
  const { conversation, model } = await started([...times(5, record('a')), done]);
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', cause: 'repeated-calls', iterations: 5 });
  expect(conversation.state.status).toBe('stuck');
  expect(await nudgesOf(conversation)).toEqual([expect.stringContaining('You called record 4 times in the same way')]);
  expect(textOf(model.requests[4]?.messages.at(-1)?.content ?? [])).toContain('Try another approach');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  for (const { messages } of model.requests) expect(checkMessages(messages)).toEqual([]);
});

test('a nudge for another reason is not a warning of a loop', async () => {
  const talk: ScriptedTurn = { text: 'Let me see.' };
  const turns = [record('a'), talk, record('a'), talk, record('a'), talk];
  const { conversation } = await started([...turns, done], { textReply: 'continue' });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect((await nudgesOf(conversation)).at(-1)).toContain('You alternate between');
});

test('a stuck run that continues in the same way is stuck after one more reply', async () => {
  const { conversation } = await started(times(7, record('a')));
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 5 });
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 1 });
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 1 });
});

test('a model that follows the nudge continues, and is nudged again about another loop', async () => {
  const steps = [...times(4, record('a')), record('b'), ...times(4, record('c')), done];
  const { conversation } = await started(steps);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(await nudgesOf(conversation)).toHaveLength(2);
});

test('a repeated call whose output changes is not a loop', async () => {
  const { conversation } = await started([...times(9, { calls: [{ name: 'clock', arguments: {} }] }), done]);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 10 });
  expect(await nudgesOf(conversation)).toEqual([]);
});

test.for(['no_such_tool', 'record'])('%s failing in the same way leads to a nudge at the third time', async (name) => {
  const failing: ScriptedTurn = { calls: [{ name, arguments: { wrong: 1 } }] };
  const { conversation } = await started(times(4, failing));
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 4 });
  expect(await nudgesOf(conversation)).toEqual([expect.stringContaining('failed each time')]);
});

test.for(['Cell In[NUMBER], line 1', 'File "<ipython-input-NUMBER-c8d1>", line 1'])(
  'a cell that a notebook cannot read three times leads to a nudge: %s',
  async (place) => {
    let cells = 0;
    const notebook = defineTool({
      name: 'notebook',
      description: 'Runs a cell.',
      input: z.object({ code: z.string() }),
      effect: 'write',
      execute: async ({ code }) =>
        `  ${place.replace('NUMBER', `${++cells}`)}\n    ${code}\n    ^\nSyntaxError: incomplete input`,
    });
    const cell: ScriptedTurn = { calls: [{ name: 'notebook', arguments: { code: 'print((1' } }] };
    const { conversation } = await started([...times(3, cell), done], { tools: () => [notebook, finish()] });
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect(await nudgesOf(conversation)).toEqual([expect.stringContaining('failed each time')]);
  },
);

test('two alternating calls are a loop', async () => {
  const { conversation } = await started([...times(3, [record('a'), record('b')]).flat(), record('a')]);
  expect(await conversation.run()).toMatchObject({ reason: 'stuck', iterations: 7 });
  expect(await nudgesOf(conversation)).toEqual([expect.stringContaining('You alternate')]);
});

test('equal calls of one reply count once', async () => {
  const four = { calls: times(4, { name: 'record', arguments: { text: 'a' } }) };
  const { conversation } = await started([four, done]);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(await nudgesOf(conversation)).toEqual([]);
});

test.for([
  ['user-message', 'finished'],
  ['conversation', 'stuck'],
] as const)('events before a user message, with the window %s: %s', async ([window, reason]) => {
  const { conversation } = await started([...times(3, record('a')), record('a'), record('a'), done], {
    stuck: { window },
  });
  await conversation.run({ maxIterations: 3 });
  await conversation.send('Please continue.');
  expect(await conversation.run()).toMatchObject({ reason });
});

test('the rule never ends no run', async () => {
  const { conversation } = await started([...times(12, record('a')), done], { stuck: 'never' });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('the verdict follows from the log alone: any prefix leads to the verdict of that time', async () => {
  const { conversation } = await started(times(5, record('a')));
  await conversation.run();
  const verdicts: (string | undefined)[] = [];
  for (let head = 0; head <= conversation.state.head; head++) {
    const { view } = await conversation.stateAt(head);
    verdicts.push(detectLoop(view.events, stuckRules())?.kind);
  }
  expect([...new Set(verdicts)]).toEqual([undefined, 'nudge', 'stuck']);
});

test('results of commands may be compared by exit code alone', async () => {
  const terminal = defineTool({
    name: 'terminal',
    description: 'Runs.',
    input: z.object({}),
    effect: 'read',
    execute: async () => '',
  });
  let runs = 0;
  const shell: Tool = {
    ...terminal,
    execute: async () => TerminalObservation.create({ content: [text(`run ${++runs}`)], exit_code: 1 }),
  };
  const poll: ScriptedTurn = { calls: [{ name: 'terminal', arguments: {} }] };
  const { conversation } = await started([poll, poll, done], { tools: () => [shell, finish()] });
  await conversation.run();
  const { events } = conversation.state.view;
  const distinct = (outputs: 'compared' | 'exit-codes') =>
    new Set(turnsOf(events, outputs).flatMap(({ tools, resultKey: got }) => (tools[0] === 'terminal' ? [got] : [])))
      .size;
  expect([distinct('compared'), distinct('exit-codes')]).toEqual([2, 1]);
});

test.for([1, 0, 2.5, Number.NaN])('a rule of %s is refused', (count) => {
  expect(() => stuckRules({ monologue: count })).toThrow(expect.objectContaining({ code: 'invalid' }));
});
