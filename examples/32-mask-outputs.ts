// Masks long outputs of earlier calls before anything is forgotten: condensers in order see what the others changed.
import { Conversation, defineAgent } from '@varve/agent';
import { condenserFromSpec } from '@varve/condensers';
import { textOf } from '@varve/events';
import { condensationFact } from '@varve/events/facts';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page of a book.',
  input: z.object({ page: z.number() }),
  effect: 'read',
  execute: async ({ page }) => `Page ${page}. ${'And so on. '.repeat(300)}`,
});

const read = (page: number): ScriptedTurn => ({ calls: [{ name: 'read_page', arguments: { page } }] });
const agent = defineAgent({
  model: scriptedModel([read(1), read(2), read(3), read(4), read(5), read(6), { text: 'A book about going on.' }]),
  tools: [readPage, finish()],
  // As it could be in a configuration. The second condenser acts only when masking is not enough.
  condenser: condenserFromSpec({
    kind: 'in-order',
    condensers: [
      { kind: 'observation-masking', attentionWindow: 4 },
      { kind: 'rolling-window', maxEvents: 100 },
    ],
  }),
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('What is the book about?');
await conversation.run();

for (const { role, tool_calls: calls, content } of conversation.request().messages.slice(1)) {
  const text = textOf(content).slice(0, 60).trim();
  console.log(`${role}:`, calls ? calls.map(({ name, arguments: page }) => `${name} ${page}`).join() : text);
}
for await (const { event } of conversation.events()) {
  const fact = condensationFact.read(event);
  if (!fact) continue;
  // The prompt contains the path of the workspace, so the totals differ between machines.
  const saved = Math.round(((fact.tokens_before ?? 0) - (fact.tokens_after ?? 0)) / 100) * 100;
  console.log(`${fact.condenser}: about ${saved} tokens fewer`);
}
