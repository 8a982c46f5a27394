import { expect, test } from 'vitest';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { eventCodec, type Json } from '@varve/events';
import { importFact } from '@varve/events/facts';
import { builtinKinds } from '@varve/events/kinds';
import { openaiChat } from '@varve/llm';
import { memoryStore, type EventStore } from '@varve/storage';
import { exportBundle, importBundle } from '@varve/storage/maintenance';
import { storedRun } from './stored-run.ts';

/** Creates a conversation at a local server; returns its id. */
async function created(store: EventStore): Promise<string> {
  const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:1/v1' });
  const confirmation = alwaysConfirm();
  const agent = defineAgent({ model, tools: () => [], confirmation, parameters: { reasoningEffort: 'low' } });
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return conversation.id;
}

test('model, parameters and policy are read from the log', async () => {
  const store = memoryStore();
  expect(await storedRun(store, await created(store))).toMatchObject({
    policy: { kind: 'AlwaysConfirm' },
    hasWorkspace: true,
    parameters: { reasoningEffort: 'low' },
    model: { name: 'm', baseUrl: 'http://127.0.0.1:1/v1' },
  });
});

test('an address that was changed next to the log has no effect', async () => {
  const store = memoryStore();
  const id = await created(store);
  const { meta } = await store.summary(id);
  const changed = JSON.parse(JSON.stringify(meta).replaceAll('127.0.0.1:1', 'evil.test')) as Json;
  {
    await using log = await store.open(id);
    await log.append([], { meta: changed });
  }
  expect(JSON.stringify((await store.summary(id)).meta)).toContain('evil.test');
  expect((await storedRun(store, id)).model?.baseUrl).toBe('http://127.0.0.1:1/v1');
});

test('an imported conversation has no model, directory or policy of its own', async () => {
  const store = memoryStore();
  const id = await created(store);
  const stamp = { id: 'a'.repeat(8), timestamp: '2100-01-01T12:00:00.000000' };
  const event = importFact.create({ events: 1, at: 0 }, stamp);
  {
    await using log = await store.open(id);
    const text = eventCodec(builtinKinds).encode(event);
    await log.append([{ id: event.id, kind: event.kind, parentId: undefined, text }]);
  }
  expect(await storedRun(store, id)).toEqual({ id, hasWorkspace: false });
  {
    await using log = await store.open(id);
    await log.append([], { meta: { status: 'idle', confirmation_policy: { kind: 'NeverConfirm' } } });
  }
  expect(await storedRun(store, id)).toEqual({ id, hasWorkspace: false });
});

const importing = (): Json => ({ status: 'idle', importing: 'an-import' });

test('an import that has not ended has no model, directory or policy of its own', async () => {
  const [theirs, store] = [memoryStore(), memoryStore()];
  const id = await created(theirs);
  await importBundle(exportBundle(await theirs.read(id), await theirs.summary(id)), store, { meta: importing });
  expect(await storedRun(store, id)).toEqual({ id, hasWorkspace: false });
});
