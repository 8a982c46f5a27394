// Makes every request of a log again without a model, then replays it with a tool that sees something else.
import { Conversation, defineAgent } from '@varve/agent';
import { replayConversation, verifyRequests } from '@varve/agent/replay';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { z } from 'zod';

const weather = (sky: string) =>
  defineTool({
    name: 'weather',
    description: 'Tells the weather of a city.',
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

const sunny = defineAgent({ model: agent.model, tools: () => [weather('Sun'), finish()] });
const options = { agent: sunny, store, workspace: process.cwd(), replies: 'recorded' } as const;
const { reasons, differences } = await replayConversation(log, options);
console.log(reasons.join(), 'with', differences.length, 'difference:', differences[0]?.left?.kind);
