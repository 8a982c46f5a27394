// Defines a tool that the client executes: the client watches the events and reports the result as a message.
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
  { text: 'I showed you Bergen. Can you see it?' },
  { text: 'Good.' },
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
for await (const { event } of conversation.events()) {
  if (ActionEvent.is(event)) console.log('client:', event.tool_name, event.tool_call.arguments);
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
await again.send('Yes, the map shows it.');
const end = await again.run();
console.log('agent:', end.reason === 'finished' && end.text);
