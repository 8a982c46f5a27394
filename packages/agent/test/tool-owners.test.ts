import { AgentErrorEvent, ObservationEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, terminal, type Tool } from '@varve/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, type AgentOptions, type SubAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { createAgent } from '../src/conversation/create-agent.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import { toolsetOf } from '../src/agent/toolset.ts';
import { delegationTools } from '../src/delegation-tools/delegation-kinds.ts';
import { replayConversation } from '../src/replay/replay-conversation.ts';

const options = {
  name: 'tide',
  description: 'Tide of a port.',
  input: z.object({ port: z.string().describe('Name.') }),
  effect: 'read',
  execute: async ({ port }: { readonly port: string }) => `high at ${port}`,
} as const;
const tide = defineTool(options);
const asks: ScriptedTurn = { calls: [{ name: 'tide', arguments: { port: 'Brest' } }] };

/** Returns an agent of which each run calls the tool once. */
const agentOf = (tools: AgentOptions['tools'], runs = 6) =>
  defineAgent({ model: scriptedModel(Array.from({ length: runs }, () => [asks, { text: 'High.' }]).flat()), tools });

const create = (agent: ReturnType<typeof agentOf>, store = memoryStore()) =>
  Conversation.create({ agent, store, workspace: process.cwd() });

/** Runs a conversation, and returns the kind of the result of its call. */
async function askTide(conversation: Conversation): Promise<string> {
  await conversation.send('When?');
  await conversation.run();
  const last = conversation.state.view.events.findLast(
    (event) => ObservationEvent.is(event) || AgentErrorEvent.is(event),
  );
  return last?.kind ?? 'none';
}

/** Returns a tool with state, and the number of times that it was closed. */
function counted(): { readonly tool: Tool; readonly closed: { count: number } } {
  const closed = { count: 0 };
  const close = async (): Promise<void> => void closed.count++;
  return { tool: defineTool({ ...options, close }), closed };
}

describe.for<[string, AgentOptions['tools']]>([
  ['a list', [tide]],
  ['a function', () => [tide]],
])('a tool without state that %s returns', ([, tools]) => {
  test('serves a second conversation after the first has ended', async () => {
    const agent = agentOf(tools);
    for (const _ of [1, 2]) {
      await using conversation = await create(agent);
      expect(await askTide(conversation)).toBe('ObservationEvent');
    }
  });

  test('serves a long conversation during which a short one begins and ends', async () => {
    await using long = await create(agentOf(tools));
    {
      await using short = await create(agentOf(tools));
      expect(await Promise.all([askTide(long), askTide(short)])).toEqual(['ObservationEvent', 'ObservationEvent']);
    }
    expect(await askTide(long)).toBe('ObservationEvent');
  });

  test('serves a conversation after its fork, and its child, have ended', async () => {
    await using origin = await create(agentOf(tools));
    await askTide(origin);
    for (const other of [await origin.fork(), await origin.child()]) {
      expect(await askTide(other)).toBe('ObservationEvent');
      await other[Symbol.asyncDispose]();
      expect(await askTide(origin)).toBe('ObservationEvent');
    }
  });

  test('serves a parent after its sub-agent has ended', async () => {
    const reader: SubAgent = {
      name: 'reader',
      description: 'Reads.',
      create: (parent, context) =>
        derivedAgent(parent, { instructions: 'Read.', model: scriptedModel([asks, { text: 'Read.' }]) }, context),
    };
    const task: ScriptedTurn = { calls: [{ name: 'task', arguments: { prompt: 'Read.' } }] };
    const made = toolsetOf(tools);
    const agent = defineAgent({
      model: scriptedModel([task, asks, { text: 'High.' }]),
      subAgents: [reader],
      tools: (context) => [...delegationTools(context), ...made(context)],
    });
    await using conversation = await create(agent);
    expect(await askTide(conversation)).toBe('ObservationEvent');
  });
});

describe('a tool with state', () => {
  test('that is made once is refused to a second conversation, and still serves the first', async () => {
    const { tool, closed } = counted();
    const agent = agentOf(() => [tool]);
    await using first = await create(agent);
    const refused = { name: 'AgentError', code: 'invalid', message: expect.stringContaining('The tool tide closes') };
    await expect(create(agent)).rejects.toMatchObject(refused);
    await expect(first.fork()).rejects.toMatchObject(refused);
    await expect(first.child()).rejects.toMatchObject(refused);
    await expect(create(agentOf(() => [{ ...tool, description: 'A copy.' }]))).rejects.toMatchObject(refused);
    expect(closed.count).toBe(0);
    expect(await askTide(first)).toBe('ObservationEvent');
  });

  test('is refused after its conversation has ended, and new ones next to it are closed', async () => {
    const { tool } = counted();
    const { tool: other, closed } = counted();
    await (await create(agentOf(() => [tool])))[Symbol.asyncDispose]();
    const agent = agentOf(() => [tool, { ...other, name: 'other' }]);
    await expect(create(agent)).rejects.toThrow('the same value was used by another one');
    expect(closed.count).toBe(1);
  });

  test('is closed with its own conversation only, when each has another one', async () => {
    const made: ReturnType<typeof counted>[] = [];
    const agent = agentOf(() => {
      made.push(counted());
      return made.slice(-1).map(({ tool }) => tool);
    });
    await using first = await create(agent);
    await (await create(agent))[Symbol.asyncDispose]();
    expect(made.map(({ closed }) => closed.count)).toEqual([0, 1]);
    expect(await askTide(first)).toBe('ObservationEvent');
  });

  test('is not closed by a sub-agent that does not use it, nor by a replay of its conversation', async () => {
    const { tool, closed } = counted();
    const agent = agentOf(() => [tool]);
    await using store = memoryStore();
    await using conversation = await create(agent, store);
    expect(await askTide(conversation)).toBe('ObservationEvent');
    const unused = derivedAgent(agent, { instructions: 'Think.', toolNames: ['think'] }, { toolNames: ['tide'] });
    await (await conversation.child({ agent: unused }))[Symbol.asyncDispose]();
    const log = await store.read(conversation.id);
    const replay = { agent, store, workspace: process.cwd(), replies: 'recorded', results: 'recorded' } as const;
    expect((await replayConversation(log, replay)).differences).toEqual([]);
    expect(closed.count).toBe(0);
    expect(await askTide(conversation)).toBe('ObservationEvent');
  });

  test('is not part of a list by its type', () => {
    // @ts-expect-error A terminal belongs to one conversation.
    expect(() => defineAgent({ model: scriptedModel([]), tools: [terminal()] })).not.toThrow();
  });
});

test('two tools of one name are refused, and both are closed', async () => {
  const [one, other] = [counted(), counted()];
  await expect(create(agentOf(() => [one.tool, other.tool]))).rejects.toThrow(
    'Two tools of the agent are called tide.',
  );
  expect([one.closed.count, other.closed.count]).toEqual([1, 1]);
});

test('an agent with a list of tools and a schema of the answer has both', async () => {
  const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.', isHigh: true } }] };
  const output = z.object({ isHigh: z.boolean() });
  await using agent = createAgent({ model: scriptedModel([asks, done]), tools: [tide], output });
  expect((await agent.run('When?')).output).toEqual({ isHigh: true });
});
