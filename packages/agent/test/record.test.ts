import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent, text, textOf, type Stamp } from '@varve/events';
import { defineFact, effectFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, verify } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const Rating = defineEvent('Rating', {
  source: 'user',
  fields: () => ({ stars: z.number().int().max(5), why: z.exactOptional(z.string()) }),
  toMessage: ({ stars }) => ({ role: 'user', content: [text(`I rate this ${stars}.`)], thinking_blocks: [] }),
});
const ticket = defineFact('varve.acme.ticket', () => z.strictObject({ number: z.number().int() }));
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };

async function started(steps: readonly ScriptedTurn[] = [done], secrets: readonly string[] = []) {
  const { tool } = countingTool();
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [tool(), finish()], confirmation: alwaysConfirm() });
  const store = memoryStore();
  const options = { agent, store, kinds: [Rating], secrets };
  const conversation = await Conversation.create({ ...options, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, store, options, model };
}

test('custom events are stored, sealed, and read by the model if their kind has a message', async () => {
  const { conversation, store, options } = await started();
  const [fact, rating] = await conversation.record(
    (stamp) => ticket.create({ number: 7 }, stamp),
    (stamp) => Rating.create({ stars: 4 }, stamp),
  );
  expect(conversation.state.leafId).toBe(rating?.id);
  const stored = await Array.fromAsync(conversation.events({ from: 3 }), ({ event }) => event);
  expect(stored).toEqual([fact, rating]);
  expect(stored.map((event) => ticket.read(event)?.number)).toEqual([7, undefined]);
  const asked = conversation.request().messages;
  expect(asked.map(({ content }) => textOf(content)).at(-1)).toContain('I rate this 4.');
  await conversation[Symbol.asyncDispose]();
  expect(await verify(await store.read(conversation.id))).toMatchObject({ sealed: 5 });
  await using again = await Conversation.open({ ...options, id: conversation.id });
  expect(again.request().messages).toEqual(asked);
});

test('custom events recorded while calls wait keep the request valid, and approve or reject none of them', async () => {
  const record: ScriptedTurn = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
  const { conversation } = await started([record, done]);
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  await conversation.record((stamp) => Rating.create({ stars: 1 }, stamp));
  expect(conversation.state).toMatchObject({ status: 'waiting_for_confirmation', pending: [{}] });
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test('secrets are masked in custom events too', async () => {
  const { conversation } = await started([done], ['hunter2']);
  const [rating] = await conversation.record((stamp) =>
    Rating.create({ stars: 2, why: 'It contained hunter2.' }, stamp),
  );
  expect(JSON.stringify(rating)).not.toContain('hunter2');
});

const foreign = defineEvent('Foreign', { source: 'user', fields: () => ({}) });

test.for([
  [
    'an event of the conversation itself',
    (stamp: Stamp) => MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [] } }, stamp),
    'MessageEvent is created by the conversation itself',
  ],
  [
    'a status of the conversation',
    (stamp: Stamp) => ConversationStateUpdateEvent.create({ key: 'execution_status', value: 'finished' }, stamp),
    'state update of execution_status',
  ],
  [
    'a fact of varve',
    (stamp: Stamp) => effectFact.create({ action_id: 'a', idempotency_key: 'k', at: 1 }, stamp),
    'state update of varve.effect',
  ],
  ['an unknown kind', (stamp: Stamp) => foreign.create({}, stamp), 'without the kind Foreign'],
  [
    'an event with another stamp',
    (stamp: Stamp) => Rating.create({ stars: 1 }, { ...stamp, id: '12345678' }),
    'does not have the stamp',
  ],
  [
    'an event that breaks its schema',
    (stamp: Stamp) => ({ ...Rating.create({ stars: 1 }, stamp), stars: 'many' }),
    'Rating is not valid',
  ],
] as const)('%s is refused, and no event of the same call is stored', async ([, make, problem]) => {
  const { conversation } = await started();
  const { head } = conversation.state;
  const act = conversation.record((stamp) => Rating.create({ stars: 3 }, stamp), make);
  await expect(act).rejects.toThrow(problem);
  expect((await Array.fromAsync(conversation.events())).length).toBe(head);
  expect(await conversation.record((stamp) => Rating.create({ stars: 3 }, stamp))).toHaveLength(1);
});
