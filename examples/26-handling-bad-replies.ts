// Recovers from bad replies: almost valid JSON, impossible calls, an empty reply, a context that is too long.
import { Conversation, defineAgent } from '@varve/agent';
import { rollingWindow } from '@varve/condensers';
import { textOf } from '@varve/events';
import { AgentErrorEvent, Condensation, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number().describe('The first number.'), b: z.number().describe('The second number.') }),
  effect: 'read',
  execute: async ({ a, b }) => `It is ${a + b}.`,
});
const call = (name: string, args: string): ScriptedTurn => ({ calls: [{ name, arguments: args }] });

const agent = defineAgent({
  model: scriptedModel([
    call('add', '{"a": 1, "b": 2,}'),
    call('add', '{"a": "3", "b": "4"}'),
    call('add', '{"a": 5}'),
    call('subtract', '{"a": 5, "b": 6}'),
    { ...call('add', '{"a": 7, "b": 8'), finish: 'length' },
    { error: { code: 'empty' } },
    { error: { code: 'context-overflow' } },
    { text: 'Three and seven.' },
  ]),
  tools: [add, finish()],
  condenser: rollingWindow({ maxEvents: 100 }),
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Add what there is to add.');
const end = await conversation.run();

// The messages to the model, from the log; the view was condensed when the context became too long.
for await (const { event } of conversation.events()) {
  if (ObservationEvent.is(event)) console.log('result:', textOf(event.observation.content));
  if (AgentErrorEvent.is(event)) console.log('to the model:', event.error);
  if (MessageEvent.is(event) && event.source === 'environment')
    console.log('to the model:', textOf(event.llm_message.content));
  if (Condensation.is(event)) console.log('condensed:', event.forgotten_event_ids.length, 'events');
}
console.log(end.reason, 'after', end.iterations, 'steps:', end.text);
