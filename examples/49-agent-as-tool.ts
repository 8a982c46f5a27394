// Uses an agent as a tool of others: two conversations call it concurrently, and each call has a log of its own.
import { Conversation, defineAgent, subAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';

const step: ScriptedStep = ({ messages }) => {
  return { text: JSON.stringify(messages).includes('main.ts') ? 'Two errors.' : 'No errors.' };
};
const reviewer = subAgent({
  name: 'review',
  description: 'Reviews a file.',
  agent: defineAgent({ model: scriptedModel([step, step]), tools: [], prompt: 'You review.' }),
});

await using store = memoryStore();
const reviews = ['main.ts', 'repl.ts'].map(async (file) => {
  const calls = [{ name: 'review', arguments: { prompt: `Review ${file}.` } }];
  const agent = defineAgent({ model: scriptedModel([{ calls }, { text: `${file} is reviewed.` }]), tools: [reviewer] });
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send(`Is ${file} ready?`);
  const { text, usage } = await conversation.run();
  const { content = [] } = conversation.request().messages.find(({ role }) => role === 'tool') ?? {};
  return `${text} ${textOf(content)} ${usage.calls} replies`;
});
for (const review of await Promise.all(reviews)) console.log(review);
console.log((await store.list()).items.length, 'logs');
