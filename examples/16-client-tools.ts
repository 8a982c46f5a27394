// Defines a tool that the client executes: the client watches the events, and completes the call after a restart.
import { Conversation, defineAgent } from '@varve/agent';
import { ActionEvent } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

const showMap = {
  name: 'show_map',
  description: 'Shows a place on the map of the person.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

const model = scriptedModel([
  { calls: [{ name: 'show_map', arguments: { place: 'Bergen' } }] },
  { text: 'The map opens.' },
  { text: 'The map shows Bergen now.' },
]);
const agent = defineAgent({ model, tools: [finish()] });

await using store = memoryStore();
const options = { agent, store, workspace: process.cwd(), clientTools: [showMap] };
const conversation = await Conversation.create(options);
const { id } = conversation;
await conversation.send('Where is Bergen?');
const asked = await conversation.run();
console.log('agent:', asked.reason === 'finished' && asked.text);

// A client reads the events and finds the call to execute.
let callId = '';
for await (const { event } of conversation.events()) {
  if (!ActionEvent.is(event)) continue;
  callId = event.id;
  console.log('client:', event.tool_name, event.tool_call.arguments);
}
await conversation[Symbol.asyncDispose]();

// After a restart the tool is restored from the log.
await using again = await Conversation.open({ agent, store, id });
console.log(
  'tools:',
  again
    .request()
    .tools.map(({ name }) => name)
    .join(', '),
);
console.log('completed:', await again.complete(callId, 'The map shows Bergen.'));
console.log('completed:', await again.complete(callId, 'The same result again.'));
const end = await again.run();
console.log('agent:', end.reason === 'finished' && end.text);
