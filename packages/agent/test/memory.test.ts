import { expect, test } from 'vitest';
import { rollingWindow } from '@varve/condensers';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

/** Position and size of the saved projection state of a conversation after `steps` steps. */
async function stateAfter(steps: number): Promise<{ readonly seq: number; readonly characters: number }> {
  const calls = Array.from({ length: steps }, (_, index) => [
    { name: 'record', arguments: { text: `step ${String(index).padStart(6, '0')}` } },
  ]);
  const agent = defineAgent({
    model: scriptedModel(calls.map((call) => ({ calls: call }))),
    tools: () => [countingTool().tool()],
    condenser: rollingWindow({ maxEvents: 40 }),
    budget: { maxIterations: steps },
  });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'max-iterations' });
  await conversation[Symbol.asyncDispose]();
  await using log = await store.open(conversation.id);
  const { seq = 0, state = null } = (await log.snapshots.latest('conversation')) ?? {};
  return { seq, characters: JSON.stringify(state).length };
}

test('the memory of a conversation grows with its view, not with its log', async () => {
  const [short, long] = [await stateAfter(60), await stateAfter(420)];
  expect(long.seq).toBeGreaterThan(6 * short.seq);
  expect(long.characters).toBeLessThan(1.5 * short.characters);
});
