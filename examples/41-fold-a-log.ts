// Folds a log event by event with some projections, and compares changes of status with the documented ones.
import { Conversation, defineAgent } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import {
  fieldsProjection,
  foldLog,
  isStatusTransition,
  statusProjection,
  statusTransitions,
} from '@varve/events/projections';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';

await using store = memoryStore();
const agent = defineAgent({ model: scriptedModel([{ text: 'Good morning.' }]), tools: () => [] });
await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
await conversation.send('Greet me.');
await conversation.run();

const log = await store.read(conversation.id);
const options = {
  codec: eventCodec(builtinKinds),
  projections: { fields: fieldsProjection, status: statusProjection },
};
let before = statusProjection.read(statusProjection.initial()).execution;
for await (const { event, timeline } of foldLog((from) => log.range(from), options)) {
  const { execution: now } = timeline.read('status');
  if (now !== before) {
    const { trigger } = statusTransitions.find(({ from, to }) => from.includes(before) && to === now) ?? {};
    console.log(`${event.kind}: ${before} → ${now}, because ${trigger} (${isStatusTransition(before, now)})`);
  }
  before = now;
}
