// Switches to another model during a run: from the next step on it receives the whole conversation.
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const strong = scriptedModel(
  [({ messages }) => ({ text: `I read ${messages.length} messages. The knot is untied.` })],
  { name: 'strong' },
);

const pull = defineTool({
  name: 'pull',
  description: 'Pulls at one end.',
  input: z.object({ end: z.string().describe('Which one.') }),
  effect: 'write',
  execute: async ({ end }) => {
    // Any observer of the run can switch, here the tool: this task is too hard for the small model.
    conversation.switchModel(strong);
    return `Pulled at the ${end} end. It is tighter now.`;
  },
});

const small = scriptedModel([{ calls: [{ name: 'pull', arguments: { end: 'left' } }] }], { name: 'small' });
const agent = defineAgent({ model: small, tools: [pull, finish()] });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Untie the knot.');
const end = await conversation.run();
console.log(end.text);
console.log('requests: small', small.requests.length, '· strong', strong.requests.length);
