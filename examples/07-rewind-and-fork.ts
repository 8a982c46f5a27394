// Rewinds to an earlier event, continues on another branch, and forks the conversation: no event is lost.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

const answers = ['Use a map.', 'Use a list.', 'A map it is, then.'];
const agent = defineAgent({ model: scriptedModel(answers.map((text) => ({ text }))), tools: [finish()] });

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
const question = await conversation.send('Map or list?');
await conversation.run();
const first = conversation.state.leafId;

await conversation.navigate(question);
const second = await conversation.run();
console.log('other branch:', second.reason === 'finished' && second.text);

await using fork = await conversation.fork({ ...(first !== undefined && { at: first }) });
await fork.send('Why?');
await fork.run();
for (const { role, content } of fork.request().messages.slice(1)) console.log(`${role}: ${textOf(content)}`);
console.log('calls billed to the fork:', fork.state.stats.total.calls, 'of', conversation.state.stats.total.calls);
