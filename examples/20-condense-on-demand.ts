// Condenses the view on demand, independent of limits: the log keeps everything.
import { Conversation, defineAgent } from '@varve/agent';
import { rollingWindow } from '@varve/condensers';
import { textOf } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

const answers = ['Rye.', 'Salt.', 'Water.', 'Time.', 'An oven.', 'You have bread.'];
const agent = defineAgent({
  model: scriptedModel(answers.map((text) => ({ text }))),
  tools: [finish()],
  condenser: rollingWindow({ maxEvents: 100 }),
});

await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
for (const question of ['Bread?', 'What else?', 'And then?', 'And now?', 'Is that all?']) {
  await conversation.send(question);
  await conversation.run();
}

const show = (when: string): void =>
  console.log(
    `${when}: ${conversation.state.head} events in the log, ${conversation.state.view.events.length} in view`,
  );
show('before');
console.log('condensed:', await conversation.condense());
show('after');
for (const { role, content } of conversation.request().messages.slice(1)) {
  console.log(`  ${role}: ${textOf(content).replaceAll('\n', ' ')}`);
}

// The conversation continues with the smaller view; earlier states remain readable.
await conversation.send('And what do I have then?');
const end = await conversation.run();
console.log(end.text);
console.log('in view after eight events:', (await conversation.stateAt(8)).view.events.length);
