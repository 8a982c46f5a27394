// Executes an agent's tool directly: without confirmation, without an event, and without the model.
import { Conversation, defineAgent } from '@varve/agent';
import { textOf } from '@varve/events';
import { presentObservation } from '@varve/events/payloads';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defaultTools } from '@varve/tools';

const agent = defineAgent({ model: scriptedModel([]), tools: () => defaultTools() });
await using store = memoryStore();
await using conversation = await Conversation.create({
  agent,
  store,
  workspace: process.cwd(),
  secrets: ['swordfish'],
});

const observation = await conversation.executeTool({
  name: 'terminal',
  arguments: { command: 'echo "The password is swordfish."' },
});
console.log(textOf(presentObservation(observation)).split('\n')[0]);
console.log('events:', conversation.state.head);

// Errors name the invalid argument.
await conversation.executeTool({ name: 'terminal', arguments: { comand: 'ls' } }).catch((error: unknown) => {
  console.log(error instanceof Error ? error.message : error);
});
