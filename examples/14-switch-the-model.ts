// Goes on with another model in the middle of a run: from the next step on it is asked, with everything that was done.
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { z } from 'zod';

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
    // Whoever watches the run decides, here the tool: this is too hard for the small model.
    conversation.switchModel(strong);
    return `Pulled at the ${end} end. It is tighter now.`;
  },
});

const small = scriptedModel([{ calls: [{ name: 'pull', arguments: { end: 'left' } }] }], { name: 'small' });
const agent = defineAgent({ model: small, tools: () => [pull, finish()] });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Untie the knot.');
const end = await conversation.run();
console.log(end.reason === 'finished' ? end.text : end.reason);
console.log('asked: small', small.requests.length, 'times, strong', strong.requests.length, 'times');
