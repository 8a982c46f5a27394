// Opens a conversation with other tools and another text-reply policy, and shows the resulting errors.
import { AgentError, Conversation, defineAgent, type AgentOptions } from '@varve/agent';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore, StorageError } from '@varve/storage';
import { finish, think } from '@varve/tools';

const agentOf = (steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) =>
  defineAgent({ model: scriptedModel(steps), tools: [think(), finish()], ...options });

const id = '4'.repeat(32);
await using store = memoryStore();
const first = await Conversation.create({
  agent: agentOf([{ text: 'Which colour?' }], { textReply: 'wait' }),
  store,
  workspace: process.cwd(),
  id,
});
await first.send('Paint the boat.');
const asked = await first.run();
console.log(asked.reason, '·', asked.reason === 'asked' && asked.text, '· status', first.state.status);

// A log has one writer.
await Conversation.open({ agent: agentOf([]), store, id }).catch((error: unknown) => {
  console.log('while it is open:', error instanceof StorageError && error.code);
});
await first[Symbol.asyncDispose]();

await Conversation.open({ agent: agentOf([], { tools: [finish()] }), store, id }).catch((error: unknown) => {
  if (error instanceof AgentError) console.log(`${error.code}: ${error.message}`);
});

// In a headless run, a text reply does not end the run: the model is asked to continue until it calls finish.
const steps = [
  { text: 'Is blue fine?' },
  { calls: [{ name: 'finish', arguments: { message: 'The boat is blue.' } }] },
] as const;
await using second = await Conversation.open({ agent: agentOf(steps, { textReply: 'continue' }), store, id });
await second.send('Any.');
const end = await second.run();
console.log(end.reason, 'after', end.iterations, 'steps ·', end.reason === 'finished' && end.text);
