// Carries out the calls of one reply at once: those that touch the same wait for each other, and the model reads all in order.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { z } from 'zod';

const done: string[] = [];
const gate = Promise.withResolvers<void>();

const brew = defineTool({
  name: 'brew',
  description: 'Brews something in a pot.',
  input: z.object({ drink: z.string().describe('What.'), pot: z.string().describe('In which pot.') }),
  effect: 'write',
  // What it touches: calls with a pot in common never run at once.
  resources: ({ pot }) => [`pot:${pot}`],
  execute: async ({ drink }) => {
    // The tea is ready only when the cocoa is, which needs another pot and does not wait.
    if (drink === 'cocoa') gate.resolve();
    if (drink === 'tea') await gate.promise;
    done.push(drink);
    return `The ${drink} is ready.`;
  },
});

const call = (drink: string, pot: string) => ({ name: 'brew', arguments: { drink, pot } });
const agent = defineAgent({
  model: scriptedModel([
    { calls: [call('tea', 'red'), call('coffee', 'red'), call('cocoa', 'blue')] },
    { calls: [{ name: 'finish', arguments: { message: 'Here you are.' } }] },
  ]),
  tools: () => [brew, finish()],
  concurrency: 3,
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Tea, coffee and cocoa, please.');
await conversation.run();
console.log('ready:', done.join(', '));
for (const { role, content } of conversation.request().messages) {
  if (role === 'tool') console.log('the model reads:', textOf(content));
}
