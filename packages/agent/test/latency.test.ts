import { callFact } from '@varve/events/facts';
import { statsProjection, foldEvents } from '@varve/events/projections';
import type { LanguageModel } from '@varve/llm';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think } from '@varve/tools';
import { expect, test } from 'vitest';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

/** Model whose replies take the given milliseconds. */
function slowModel(latencies: readonly number[]): LanguageModel {
  const left = [...latencies];
  const model = scriptedModel([
    { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ]);
  return {
    ...model,
    generate: async (request, options) => ({
      ...(await model.generate(request, options)),
      latencyMs: left.shift() ?? 0,
    }),
  };
}

test('the time that the model took for each reply is in the log, and their sum in the statistics', async () => {
  const agent = defineAgent({ model: slowModel([1500.4, 250]), tools: () => [think(), finish()] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  const { usage } = await conversation.run();
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.flatMap((event) => callFact.read(event)?.latency_ms ?? [])).toEqual([1500, 250]);
  expect(foldEvents(statsProjection, events).total.latency_ms).toBe(1750);
  expect(usage.latency_ms).toBe(1750);
});
