// Streams the text of an agent with two tools; another agent has the same tools, after the first one has ended.
import { createAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { defineTool } from '@varve/tools';
import * as z from 'zod';

const input = z.object({ city: z.string().describe('The city.') });
const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  input,
  effect: 'read',
  execute: async ({ city }) => `Rain in ${city}.`,
});
const population = defineTool({
  name: 'population',
  description: 'Returns the population of a city.',
  input,
  effect: 'read',
  execute: async ({ city }) => `${city} has ${city.length * 50_000} inhabitants.`,
});

for (const city of ['Bergen', 'Oslo']) {
  const calls = ['weather', 'population'].map((name) => ({ name, arguments: { city } }));
  const model = scriptedModel([{ text: 'I look it up. ', calls }, { text: `It rains on few people in ${city}.` }]);
  await using agent = createAgent({ model, tools: [weather, population] });
  for await (const part of await agent.stream(`How is ${city}?`)) {
    if (part.kind === 'text') process.stdout.write(part.text);
    if (part.kind === 'event' && part.event.kind === 'ObservationEvent') process.stdout.write('· ');
  }
  console.log();
}
