import { expect, test } from 'vitest';
import { ActionEvent, ObservationEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think, type Tool, clientTool, clientTools, type ClientToolSpec } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readState } from '../src/log/read-log.ts';

const showing = (field: string): ClientToolSpec => ({
  name: 'show',
  description: 'Shows something to the person.',
  parameters: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
});
const show = showing('what');
const beep: ClientToolSpec = { name: 'beep', description: 'Beeps.' };
const call = (name: string, args: Readonly<Record<string, string>>): ScriptedTurn => ({
  calls: [{ name, arguments: args }],
});
const done = call('finish', { message: 'Done.' });
const workspace = process.cwd();

function agentOf(steps: readonly ScriptedTurn[], others: readonly (() => Tool)[] = []) {
  return defineAgent({ model: scriptedModel(steps), tools: () => [finish(), ...others.map((make) => make())] });
}

const offered = (conversation: Conversation): readonly string[] => conversation.request().tools.map(({ name }) => name);

test('a call of a client tool is stored for the client and answered immediately', async () => {
  const agent = agentOf([call('show', { what: 'the plan' }), done]);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace, clientTools: [show] });
  await conversation.send('Show me.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.find((event) => ActionEvent.is(event))?.action).toEqual({
    what: 'the plan',
    kind: 'ClientAction_show',
  });
  expect(events.find((event) => ObservationEvent.is(event))?.observation.kind).toBe('ClientToolObservation');
});

test('the arguments of a client tool cannot be changed, since the client runs the call as it is stored', async () => {
  const agent = agentOf([call('show', { what: 'the plan' }), done]);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace, clientTools: [show] });
  await conversation.setConfirmation(alwaysConfirm());
  await conversation.send('Show me.');
  await conversation.run();
  await expect(conversation.approve({ arguments: { what: 'it' } })).rejects.toMatchObject({
    code: 'invalid',
    message: 'The arguments of show cannot be changed.',
  });
});

test('client tools are restored in order when the conversation is opened and forked', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  {
    const options = { store, workspace, id, clientTools: [show, beep] };
    await using conversation = await Conversation.create({ agent: agentOf([done]), ...options });
    await conversation.send('Go.');
    await conversation.run();
  }
  await using again = await Conversation.open({ agent: agentOf([call('show', { what: 'it' }), done]), store, id });
  expect(offered(again)).toEqual(['finish', 'show', 'beep']);
  await using fork = await again.fork();
  expect(offered(fork)).toEqual(['finish', 'show', 'beep']);
  await fork.send('Show it.');
  expect(await fork.run()).toMatchObject({ reason: 'finished' });
});

test('client tools that contain a secret match when they are passed again', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  const leaky = { ...beep, description: 'Beeps for hunter2.' };
  const options = { agent: agentOf([done]), store, secrets: ['hunter2'], clientTools: [leaky] };
  {
    await using conversation = await Conversation.create({ ...options, workspace, id });
    await conversation.send('Go.');
    await conversation.run();
    await using fork = await conversation.fork();
    expect(offered(fork)).toEqual(['finish', 'beep']);
    await using free = await conversation.fork({ secrets: [] });
    expect(offered(free)).toEqual(['finish', 'beep']);
  }
  await using again = await Conversation.open({ ...options, id });
  expect(offered(again)).toEqual(['finish', 'beep']);
  expect(JSON.stringify(again.request())).not.toContain('hunter2');
});

test('client tools are restored from the log alone', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  {
    const agent = agentOf([]);
    await using conversation = await Conversation.create({ agent, store, workspace, id, clientTools: [show] });
    await conversation.send('Go.');
    await using log = await store.create('d'.repeat(32), { workspace });
    for await (const stored of (await store.read(id)).range(0)) await log.append([stored]);
  }
  await using copy = await Conversation.open({ agent: agentOf([]), store, id: 'd'.repeat(32) });
  expect(offered(copy)).toEqual(['finish', 'show']);
});

test('client tools are remembered before the first message, and so are later ones', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  await (
    await Conversation.create({ agent: agentOf([]), store, workspace, id, clientTools: [show] })
  )[Symbol.asyncDispose]();
  {
    await using conversation = await Conversation.open({ agent: agentOf([]), store, id, clientTools: [beep] });
    await conversation.send('Go.');
  }
  await using again = await Conversation.open({ agent: agentOf([]), store, id, clientTools: [show] });
  expect(offered(again)).toEqual(['finish', 'show', 'beep']);
});

test('two conversations have client tools of one name with different schemas', async () => {
  const store = memoryStore();
  const fresh = await Conversation.create({
    agent: agentOf([call('show', { where: 'here' }), call('show', { what: 'a' }), done]),
    store,
    workspace,
    clientTools: [show],
  });
  const other = await Conversation.create({
    agent: agentOf([call('show', { what: 'a' }), call('show', { where: 'here' }), done]),
    store,
    workspace,
    clientTools: [showing('where')],
  });
  for (const conversation of [fresh, other]) {
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 3 });
    const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
    expect(events.filter((event) => ObservationEvent.is(event)).map(({ tool_name: name }) => name)).toEqual([
      'show',
      'finish',
    ]);
    await conversation[Symbol.asyncDispose]();
  }
});

test.for([
  ['of a tool of the agent', [{ ...beep, name: 'finish' }], [], 'the agent has a tool of that name'],
  ['of another tool of the client', [show, showing('where')], [], 'another description or schema'],
  [
    'of a client tool that the agent defines differently',
    [show],
    [() => clientTool(showing('where'))],
    'the agent has a',
  ],
] as const)('a client tool with the name %s is an error with advice', async ([, specs, others, problem]) => {
  const store = memoryStore();
  const options = { agent: agentOf([], others), store, workspace, clientTools: specs };
  await expect(Conversation.create(options)).rejects.toMatchObject({ code: 'invalid' });
  await expect(Conversation.create(options)).rejects.toThrow(problem);
  expect((await store.list()).items).toEqual([]);
});

test('opening with an agent tool that has the name of a client tool fails and releases the lease', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  const spec = { ...beep, name: 'think' };
  await (
    await Conversation.create({ agent: agentOf([]), store, workspace, id, clientTools: [spec] })
  )[Symbol.asyncDispose]();
  await expect(Conversation.open({ agent: agentOf([], [think]), store, id })).rejects.toThrow('make the agent without');
  await using conversation = await Conversation.open({ agent: agentOf([]), store, id });
  expect(offered(conversation)).toEqual(['finish', 'think']);
});

test('client tools that the agent defines itself stay tools of the agent', async () => {
  const store = memoryStore();
  const id = 'c'.repeat(32);
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [...clientTools([show]), finish()] });
  {
    await using conversation = await Conversation.create({ agent, store, workspace, id });
    await conversation.send('Go.');
  }
  await using again = await Conversation.open({ agent, store, id, clientTools: [show] });
  expect(offered(again)).toEqual(['show', 'finish']);
  expect((await readState(await store.read(id))).head).toBe(again.state.head);
});
