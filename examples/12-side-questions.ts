// Asks a side question: the model sees the conversation, and only the usage of the call becomes part of the log.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const paint = defineTool({
  name: 'paint',
  description: 'Paints a wall.',
  input: z.object({ wall: z.string().describe('Which one.') }),
  effect: 'write',
  execute: async ({ wall }) => `The ${wall} wall is green.`,
});

const agent = defineAgent({
  model: scriptedModel([
    { calls: [{ name: 'paint', arguments: { wall: 'north' } }] },
    // The answer of a model that sees the conversation so far.
    ({ messages }) => ({ text: `${messages.filter(({ role }) => role === 'tool').length} of 2 walls are painted.` }),
    { calls: [{ name: 'paint', arguments: { wall: 'south' } }] },
    { text: 'Both walls are green.' },
  ]),
  tools: [paint, finish()],
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Paint the north wall and the south wall.');
await conversation.step();

const { head } = conversation.state;
const answer = await conversation.ask('How far are you?');
console.log(textOf(answer.message.content), `(events stored: ${conversation.state.head - head}, for its usage)`);

const end = await conversation.run();
console.log(end.text);
