// Runs one step at a time, records application events between the steps, and generates a title.
import { Conversation, defineAgent } from '@varve/agent';
import { defineEvent, text } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

/** A kind of one's own. With a message, the model reads it. */
const Rating = defineEvent('Rating', {
  source: 'user',
  fields: () => ({ stars: z.number().int().min(1).max(5) }),
  toMessage: ({ stars }) => ({ role: 'user', content: [text(`(${stars} of 5 stars)`)], thinking_blocks: [] }),
});

const rhyme = defineTool({
  name: 'rhyme',
  description: 'Finds a rhyme.',
  input: z.object({ word: z.string().describe('For what.') }),
  effect: 'read',
  execute: async ({ word }) => `${word}: sand`,
});

const agent = defineAgent({
  model: scriptedModel([
    { calls: [{ name: 'rhyme', arguments: { word: 'land' } }] },
    { text: '🎨 A rhyme for the sea' },
    ({ messages }) => ({ text: JSON.stringify(messages.at(-1)?.content).includes('2 of 5') ? 'Strand!' : 'Sand!' }),
  ]),
  tools: [rhyme, finish()],
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), kinds: [Rating] });
await conversation.send('Something that rhymes with land, by the sea.');
const first = await conversation.step();
console.log('step 1:', first.reason, '· status', conversation.state.status);

await conversation.record((stamp) => Rating.create({ stars: 2 }, stamp));
await conversation
  .record((stamp) => Rating.create({ stars: 9 }, stamp))
  .catch((error: unknown) => {
    console.log(error instanceof Error ? error.message : error);
  });

console.log('named:', await conversation.generateTitle());
const second = await conversation.step();
console.log('step 2:', second.reason, second.text);
const { agent: agents, title } = conversation.state.stats.byUsageId;
console.log('replies:', agents?.calls, 'of the agent,', title?.calls, 'for the title');
