// Runs an agent with a scripted model and one tool, and prints the log.
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  input: z.object({ city: z.string().describe('The city.') }),
  effect: 'read',
  execute: async ({ city }) => `Rain in ${city}.`,
});

const agent = defineAgent({
  model: scriptedModel([
    { text: 'I look it up.', calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'It rains in Bergen.' } }] },
  ]),
  tools: [weather, finish()],
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('How is the weather in Bergen?');
const result = await conversation.run();
console.log(result.reason, result.iterations, result.text);

for await (const { seq, event } of conversation.events()) console.log(seq, event.source, event.kind);

// Every prefix of the log has a state.
const { pending } = await conversation.stateAt(8);
console.log(
  'open after eight events:',
  pending.map(({ event }) => event.tool_name),
);
