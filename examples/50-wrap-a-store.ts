// Wraps a store: the appends of each log are counted.
import { createAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';

const appended = new Map<string, number>();
await using store = wrapStore(memoryStore(), {
  log: (log) => ({
    async append(events, options) {
      appended.set(log.id, (appended.get(log.id) ?? 0) + events.length);
      return log.append(events, options);
    },
  }),
});

for (const text of ['Good morning.', 'Good evening.']) {
  await using agent = createAgent({ model: scriptedModel([{ text }]), store });
  console.log((await agent.run('Greet me.')).text);
  const { id, state } = await agent.conversation();
  console.log(appended.get(id) === state.head, 'of', appended.size);
}
