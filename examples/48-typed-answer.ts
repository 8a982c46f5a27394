// Asks for an answer in the form of a schema: a wrong one is corrected by the model, and the result has its type.
import { createAgent } from '@varve/agent';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import * as z from 'zod';

const answer = (city: string, degrees: unknown): ScriptedTurn => {
  return { calls: [{ name: 'finish', arguments: { message: 'I measured it.', city, degrees } }] };
};
const output = z.object({ city: z.string(), degrees: z.number() });

const model = scriptedModel([answer('Bergen', 'mild'), answer('Bergen', 8), answer('Oslo', 3)]);
await using agent = createAgent({ model, tools: [], output });
for (const question of ['How warm is Bergen?', 'And Oslo?']) {
  const { output: weather, iterations } = await agent.run(question);
  console.log(weather?.city, weather?.degrees.toFixed(1), 'after', iterations, 'replies');
}
