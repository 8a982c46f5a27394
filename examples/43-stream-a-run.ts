// Streams two runs of a conversation: pieces of replies, as `onDelta` receives them, and stored events in one order.
import { createAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  input: z.object({ city: z.string().describe('The city.') }),
  effect: 'read',
  execute: async ({ city }) => `Rain in ${city}.`,
});
const lookUp = { text: 'I look it up. ', calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] };
const done = { calls: [{ name: 'finish', arguments: { message: 'It rains in Bergen.' } }] };
const model = scriptedModel([lookUp, done, lookUp, done]);

await using agent = createAgent({ model, tools: [weather, finish()] });
const stream = await agent.stream('How is the weather in Bergen?');
let shown = '';
for await (const part of stream) {
  if (part.kind === 'text') shown += part.text;
  if (part.kind === 'event' && part.event.source === 'agent') console.log(part.position, part.event.kind);
}
console.log(JSON.stringify(shown));
console.log((await stream.result).reason, await stream.text);

// Ending the loop interrupts the run; the next stream continues it from there.
let position = 0;
for await (const part of await agent.stream('And now?')) {
  ({ position } = part);
  if (part.kind === 'event' && part.event.kind === 'ActionEvent') break;
}
const conversation = await agent.conversation();
console.log(conversation.state.status);
const rest = conversation.stream(undefined, { from: position + 1 });
console.log(await rest.text);
