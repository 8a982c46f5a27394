// Folds a log event by event with some projections, and compares changes of status with the documented ones.
import { Conversation, defineAgent } from '@varve/agent';
import { fieldsProjection, statusTransitions } from '@varve/compat';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { statusProjection, Timeline } from '@varve/events/projections';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';

await using store = memoryStore();
const agent = defineAgent({ model: scriptedModel([{ text: 'Good morning.' }]), tools: () => [] });
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Greet me.');
await conversation.run();

const log = await store.read(conversation.id);
const codec = eventCodec(builtinKinds);
const timeline = new Timeline({ codec, projections: { fields: fieldsProjection, status: statusProjection } });
let before = timeline.read('status').execution;
for await (const { text, seq, id } of log.range(0)) {
  const event = codec.read(text);
  // False if the head moved to another branch, whose events are then read again.
  if (!timeline.push(event, seq, id)) await timeline.refold((from) => log.range(from));
  const { execution: now } = timeline.read('status');
  if (now !== before) {
    const { trigger } = statusTransitions.find(({ from, to }) => from.includes(before) && to === now) ?? {};
    console.log(`${event.kind}: ${before} → ${now}, because ${trigger}`);
  }
  before = now;
}
