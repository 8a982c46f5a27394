import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent, eventCodec, isOpaque, text, textOf, timestamps } from '@varve/events';
import { defineFact } from '@varve/events/facts';
import { builtinKinds, MessageEvent } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const note = defineEvent('NoteEvent', {
  source: 'user',
  fields: () => ({ note: z.string() }),
  toMessage: (event) => ({ role: 'user', content: [text(`Note: ${event.note}`)], thinking_blocks: [] }),
});
const rating = defineFact('varve.test.rating', () => z.strictObject({ of: z.string(), stars: z.number().int() }));
const codec = eventCodec([...builtinKinds, note]);

/** A stored conversation with `count` events of a custom kind and a custom fact. */
async function noted(count: number) {
  const store = memoryStore();
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [] });
  const log = await store.create(id, { workspace });
  const stampAt = timestamps(() => 0);
  const stamp = (index: number) => ({ id: `e${index.toString().padStart(7, '0')}`, timestamp: stampAt() });
  const message = MessageEvent.create(
    { source: 'user', llm_message: { role: 'user', content: [text('Hi')] } },
    stamp(0),
  );
  const notes = Array.from({ length: count }, (_, index) =>
    note.create(
      { note: `number ${index}` },
      { ...stamp(index + 1), parent_id: `e${index.toString().padStart(7, '0')}` },
    ),
  );
  const stars = rating.create({ of: message.id, stars: 5 }, stamp(count + 1));
  await log.append(
    [message, ...notes, stars].map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: codec.encode(event),
    })),
  );
  await log[Symbol.asyncDispose]();
  return { store, agent };
}

const promptOf = (conversation: Conversation): string =>
  conversation
    .request()
    .messages.map(({ content }) => textOf(content))
    .join('\n');

test('events of a custom kind are decoded, and the model sees their messages', async () => {
  const { store, agent } = await noted(1);
  await using conversation = await Conversation.open({ agent, store, id, kinds: [note] });
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.filter((event) => note.is(event)).map((event) => event.note)).toEqual(['number 0']);
  expect(events.map((event) => rating.read(event)).at(-1)).toEqual({ of: 'e0000000', stars: 5 });
  expect(promptOf(conversation)).toContain('Note: number 0');
});

test('without their kind they are opaque, also with a snapshot that was saved with it', async () => {
  const { store, agent } = await noted(150);
  const knowing = await Conversation.open({ agent, store, id, kinds: [note] });
  expect(promptOf(knowing)).toContain('Note: number 149');
  await knowing[Symbol.asyncDispose]();
  await using conversation = await Conversation.open({ agent, store, id });
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.filter((event) => isOpaque(event))).toHaveLength(150);
  expect(promptOf(conversation)).not.toContain('Note');
  expect(conversation.state).toEqual(await conversation.stateAt(conversation.state.head));
});

test.for(['', 'a b', 'b'.repeat(65), '../../escape'])('the id %j is refused', async (bad) => {
  const { store, agent } = await noted(0);
  await expect(Conversation.create({ agent, store, workspace, id: bad })).rejects.toMatchObject({ code: 'invalid' });
});

test('two kinds of one name are refused before the log exists', async () => {
  const { agent } = await noted(0);
  const store = memoryStore();
  const options = { agent, store, workspace, id, kinds: [note, note] };
  await expect(Conversation.create(options)).rejects.toThrow(TypeError);
  await expect(store.open(id)).rejects.toMatchObject({ code: 'missing' });
});

test('limits that allow nothing and empty messages are rejected', async () => {
  const { store, agent } = await noted(0);
  const budgets = [{ maxCostUsd: 0 }, { maxCostUsd: Number.NaN }, { maxIterations: 0 }];
  for (const budget of budgets) expect(() => defineAgent({ ...agent, budget })).toThrow(/allows nothing|at least 1/);
  await using conversation = await Conversation.open({ agent, store, id });
  for (const maxIterations of [0, -1, 1.5, Number.NaN]) {
    await expect(conversation.run({ maxIterations })).rejects.toMatchObject({ code: 'invalid' });
  }
  for (const message of ['', ' \n', []]) {
    await expect(conversation.send(message)).rejects.toMatchObject({ code: 'invalid' });
  }
});

test('a conversation of an agent of another kind is not opened, unless that is accepted', async () => {
  const { agent } = await noted(0);
  const store = memoryStore();
  const log = await store.create(id, { workspace, agent: { kind: 'ACPAgent', acp_command: ['other'] } });
  await log[Symbol.asyncDispose]();
  const opening = Conversation.open({ agent, store, id });
  await expect(opening).rejects.toMatchObject({ code: 'tools-missing' });
  await expect(opening).rejects.toThrow('of kind ACPAgent, and this one is of kind Agent. Open it with that kind');
  await using conversation = await Conversation.open({ agent, store, id, missingTools: 'accept' });
  await conversation.send('Continue.');
  expect((await store.summary(id)).meta).toMatchObject({ agent: { kind: 'Agent' } });
});

test('a conversation is not opened without the tools it was used with, unless that is accepted', async () => {
  const { tool } = countingTool();
  const model = scriptedModel([{ calls: [{ name: 'record', arguments: { text: 'a' } }] }, { text: 'Done.' }]);
  const agent = defineAgent({ model, tools: () => [tool(), finish()] });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace, id });
  await conversation.send('Go.');
  await conversation.run({ maxIterations: 1 });
  await conversation[Symbol.asyncDispose]();
  const poorer = defineAgent({ model, tools: () => [finish()] });
  const refused = Conversation.open({ agent: poorer, store, id });
  await expect(refused).rejects.toMatchObject({
    code: 'tools-missing',
    message: expect.stringMatching(/: record\. Add them/),
  });
  await using richer = await Conversation.open({
    agent: { ...agent, tools: () => [tool(), think(), finish()] },
    store,
    id,
  });
  await richer[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent: poorer, store, id, missingTools: 'accept' });
  expect(await again.run()).toMatchObject({ reason: 'finished' });
});

test('an agent is immutable, and switching the model leaves it unchanged', async () => {
  const [model, other] = [scriptedModel([]), scriptedModel([{ text: 'Done.' }], { name: 'other' })];
  const agent = defineAgent({ model, tools: () => [finish()] });
  expect(() => Object.assign(agent, { model: other })).toThrow(TypeError);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  conversation.switchModel(other);
  await conversation.send('Go.');
  await conversation.run();
  expect([agent.model, other.requests.length]).toEqual([model, 1]);
});
