// Limits the view of the model to the recent part of a long conversation; the log keeps everything.
import { Conversation, defineAgent } from '@varve/agent';
import { rollingWindow } from '@varve/condensers';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think } from '@varve/tools';

const thoughts = Array.from({ length: 8 }, (_, index): ScriptedTurn => {
  return { calls: [{ name: 'think', arguments: { thought: `Thought ${index + 1}.` } }] };
});

const agent = defineAgent({
  model: scriptedModel([...thoughts, { calls: [{ name: 'finish', arguments: { message: 'Enough.' } }] }]),
  tools: [think(), finish()],
  condenser: rollingWindow({ maxEvents: 12 }),
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Think for a while.');
await conversation.run();

for await (const { event } of conversation.events()) {
  if (event.kind === 'Condensation') console.log('condensed');
}
console.log('events in the log:', conversation.state.head);
console.log('events in the view:', conversation.state.view.events.length);
console.log(
  'roles in the next request:',
  conversation
    .request()
    .messages.map(({ role }) => role)
    .join(' '),
);
