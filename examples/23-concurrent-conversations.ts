// Runs two conversations of one agent concurrently, streams the text, and follows the events of one of them.
import { Conversation, defineAgent, readEvents } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { openaiChat } from '@varve/llm';
import { scriptedServer } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

await using server = await scriptedServer(
  Array.from({ length: 2 }, () => ({ messages }) => {
    const isTea = JSON.stringify(messages).includes('Tea?');
    return { text: isTea ? 'Yes, with milk, please.' : 'Black, no sugar.' };
  }),
);
const agent = defineAgent({ model: openaiChat({ model: 'scripted', baseUrl: server.url }), tools: [finish()] });

await using store = memoryStore();
const options = { agent, store, workspace: process.cwd() };
await using tea = await Conversation.create(options);
await using coffee = await Conversation.create(options);
await tea.send('Tea?');
await coffee.send('Coffee?');

// Events are delivered after they are stored, each once and in order, from any position.
const watched = (async () => {
  for await (const { seq, event } of tea.events({ from: 3, follow: true })) {
    console.log('event', seq, ConversationStateUpdateEvent.is(event) ? event.key : event.kind);
    if (event.kind === 'MessageEvent' && event.source === 'agent') return;
  }
})();

const pieces: string[] = [];
const [first, second] = await Promise.all([
  // Deltas of a reply arrive before it is stored, and are provisional.
  tea.run({ onDelta: (delta) => delta.kind === 'text' && pieces.push(delta.text) }),
  coffee.run(),
]);
await watched;
console.log('pieces:', pieces.map((piece) => JSON.stringify(piece)).join(' '));
for (const end of [first, second]) console.log(end.text);
console.log('calls of each:', tea.state.stats.total.calls, coffee.state.stats.total.calls);

// Another process reads a log without its lease.
for await (const { seq, event } of readEvents((await store.read(coffee.id)).range(3))) {
  if (event.kind === 'MessageEvent') console.log('read', seq, event.source);
}
