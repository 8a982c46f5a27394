// Limits a run, and stops an agent that repeats itself: every run ends with a typed reason, and a later run continues.
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string().describe('At what.') }),
  effect: 'read',
  execute: async ({ at }) => `${at} is there.`,
});

const again = { calls: [{ name: 'look', arguments: { at: 'the moon' } }], costUsd: 0.02 };
const agent = defineAgent({
  model: scriptedModel([...Array.from({ length: 4 }, () => again), { text: 'It is there.' }]),
  tools: [look, finish()],
  budget: { maxCostUsd: 1 },
  stuck: { repeatedResults: 3 },
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Is the moon there?');
for (const limits of [{ maxIterations: 2 }, { maxCostUsd: 0.02 }, {}, {}]) {
  const { reason, iterations, usage } = await conversation.run(limits);
  console.log(reason, 'after', iterations, 'steps and', (usage.cost_usd ?? 0).toFixed(2), 'dollars in total');
}
