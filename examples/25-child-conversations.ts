// Starts child conversations: they share the budget of their parent, and their usage counts there too.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

/** Looks at shelf after shelf. */
const searcher = (room: string, shelves: number) => {
  const looks = Array.from({ length: shelves }, (_, index): ScriptedTurn => {
    return { calls: [{ name: 'look', arguments: { at: `shelf ${index + 1} of the ${room}` } }] };
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks at a shelf.',
    input: z.object({ at: z.string().describe('Which.') }),
    effect: 'read',
    execute: async ({ at }) => `No key on ${at}.`,
  });
  const model = scriptedModel([...looks, { text: `It is not in the ${room}.` }]);
  return defineAgent({ model, tools: [look, finish()] });
};

const search = defineTool({
  name: 'search',
  description: 'Searches rooms concurrently with sub-agents.',
  input: z.object({ rooms: z.array(z.string()).describe('Which.') }),
  effect: 'write',
  execute: async ({ rooms }) => {
    const children: Conversation[] = [];
    for (const [index, room] of rooms.entries()) {
      const child = await conversation.child({ agent: searcher(room, index === 0 ? 1 : 99) });
      await child.send(`Search the ${room} for the key.`);
      children.push(child);
    }
    const ends = await Promise.all(children.map((child) => child.run()));
    return ends
      .map((end) => (end.reason === 'finished' ? end.text : `${end.reason} after ${end.iterations} steps`))
      .join('\n');
  },
});

const model = scriptedModel([{ calls: [{ name: 'search', arguments: { rooms: ['hall', 'library', 'attic'] } }] }]);
const agent = defineAgent({ model, tools: [search, finish()], budget: { maxCalls: 10 } });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Find the key, in ten replies.');
const { reason, usage } = await conversation.run();
console.log(reason, 'after', usage.calls, 'replies in total');
for (const { role, content } of conversation.request().messages) {
  if (role === 'tool') console.log(textOf(content));
}

for (const [id, { calls }] of Object.entries(conversation.state.stats.byUsageId)) {
  console.log(id.startsWith('child:') ? 'used by a child:' : 'used by itself:', calls);
}
// Each child has its own log; its listing names the parent.
const listed = (await store.list()).items.filter(({ meta }) => JSON.stringify(meta).includes(conversation.id));
console.log('child conversations:', listed.length);
