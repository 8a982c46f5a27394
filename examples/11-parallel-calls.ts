// Executes the calls of a reply in parallel, except those with a common resource; results are read in order.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const done: string[] = [];
const gate = Promise.withResolvers<void>();

const brew = defineTool({
  name: 'brew',
  description: 'Brews a drink in a pot.',
  input: z.object({ drink: z.string().describe('The drink.'), pot: z.string().describe('The pot.') }),
  effect: 'write',
  // The resources of a call: calls with a common pot never overlap.
  resources: ({ pot }) => [`pot:${pot}`],
  execute: async ({ drink }) => {
    // The tea waits for the cocoa, which needs another pot and runs in parallel.
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
  tools: [brew, finish()],
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
