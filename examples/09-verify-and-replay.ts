// Verifies the requests of a log, and replays it with recorded results, with another tool, and with another model.
import { Conversation, defineAgent } from '@varve/agent';
import { replayConversation, verifyRequests } from '@varve/agent/replay';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const weather = (sky: string) =>
  defineTool({
    name: 'weather',
    description: 'Returns the weather of a city.',
    input: z.object({ city: z.string().describe('The city.') }),
    effect: 'read',
    execute: async ({ city }) => `${sky} in ${city}.`,
  });

const agent = defineAgent({
  model: scriptedModel([
    { calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'It rains.' } }] },
  ]),
  tools: () => [weather('Rain'), finish()],
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('How is the weather in Bergen?');
await conversation.run();

const log = await store.read(conversation.id);
for await (const { seq, messages, tools } of verifyRequests(log)) console.log('request of reply', seq, messages, tools);

const pure = { agent, store, workspace: process.cwd(), replies: 'recorded', results: 'recorded' } as const;
const same = await replayConversation(log, pure);
console.log('with recorded replies and results:', same.differences.length, 'differences');

const sunny = defineAgent({ model: agent.model, tools: () => [weather('Sun'), finish()] });
const recorded = { agent: sunny, store, workspace: process.cwd(), replies: 'recorded', results: 'live' } as const;
const again = await replayConversation(log, recorded);
console.log(again.reasons.join(), 'with', again.differences.length, 'difference:', again.differences[0]?.left?.kind);

const guessing = defineAgent({ ...agent, model: scriptedModel([{ text: 'It always rains.' }]) });
const live = await replayConversation(log, { ...recorded, agent: guessing, replies: 'live' });
for (const { at, left, right } of live.differences) console.log('difference', at, left?.kind, '|', right?.kind ?? '-');
