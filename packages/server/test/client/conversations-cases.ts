import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { AgentServerClient } from './official-client.ts';
import type { ClientCases, OpenedClient } from './open-client.ts';

function create({ client, agent, workspace }: OpenedClient, more: object = {}) {
  return client.conversations.createConversation({
    agent,
    workspace: { kind: 'LocalWorkspace', working_dir: workspace },
    ...more,
  });
}

async function messagesOf({ client }: OpenedClient, id: string): Promise<readonly string[]> {
  const { items } = await client.conversations.searchEvents(id, { kind: 'MessageEvent' });
  return items.map((event) => event.id);
}

/** Cases of conversations. */
export const conversationCases: ClientCases = {
  'a conversation is created, listed, renamed and deleted': async (open) => {
    await using opened = await open();
    const { conversations } = opened.client;
    const created = await create(opened, { tags: { team: 'red' } });
    expect(created).toMatchObject({ execution_status: 'idle', title: null, tags: { team: 'red' } });
    expect(await conversations.countConversations()).toBe(1);
    const { items } = await conversations.searchConversations({ limit: 20 });
    expect(items.map(({ id }) => id)).toEqual([created.id]);
    expect(await conversations.getConversations([created.id, randomUUID()])).toMatchObject([{ id: created.id }, null]);
    expect(await conversations.updateConversation(created.id, { title: ' Fix the sum ' })).toEqual({ success: true });
    expect((await conversations.getConversation(created.id)).title).toBe('Fix the sum');
    await conversations.deleteConversation(created.id);
    await expect(conversations.getConversation(created.id)).rejects.toMatchObject({ status: 404 });
    expect(await conversations.countConversations()).toBe(0);
  },
  'a create request that names an existing conversation returns it': async (open) => {
    await using opened = await open();
    const conversation_id = randomUUID();
    const first = await create(opened, { conversation_id, tags: { n: '1' } });
    const second = await create(opened, { conversation_id, tags: { n: '2' } });
    expect([first.id, second.id]).toEqual([conversation_id, conversation_id]);
    expect(second.tags).toEqual({ n: '1' });
  },
  'a key is never in the description of a conversation': async (open) => {
    await using opened = await open();
    const { id } = await create(opened);
    const info = await opened.client.conversations.getConversation(id);
    expect(JSON.stringify(info)).not.toContain('key-of-the-model');
  },
  'a wrong key, an unknown conversation and malformed bodies are refused': async (open) => {
    await using opened = await open();
    const { url, client, agent } = opened;
    const stranger = new AgentServerClient({ host: url, apiKey: 'wrong' });
    await expect(stranger.conversations.countConversations()).rejects.toMatchObject({ status: 401 });
    const { conversations } = client;
    await expect(conversations.getConversation(randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(conversations.runConversation(randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(conversations.createConversation({ agent })).rejects.toMatchObject({ status: 422 });
    await expect(conversations.createConversation({ workspace: { working_dir: 3 } })).rejects.toMatchObject({
      status: 422,
    });
    await expect(client.get('/api/conversations/not%20an%20id')).rejects.toMatchObject({ status: 422 });
  },
  'a fork copies the events of its source': async (open) => {
    await using opened = await open();
    const { conversations } = opened.client;
    const { id } = await create(opened);
    await conversations.sendEvent(id, { role: 'user', content: [{ type: 'text', text: 'Hello' }] }, { run: false });
    const fork = await conversations.forkConversation(id, { title: 'Other way' });
    expect(fork).toMatchObject({ title: 'Other way', execution_status: 'idle', forked_from_conversation_id: id });
    const events = async (of: string) => (await conversations.searchEvents(of)).items.map((event) => event.id);
    expect(await events(fork.id)).toEqual(expect.arrayContaining([...(await messagesOf(opened, id))]));
    await expect(conversations.forkConversation(randomUUID())).rejects.toMatchObject({ status: 404 });
  },
  'navigation moves the head to an event and to the empty tree': async (open) => {
    await using opened = await open();
    const { conversations } = opened.client;
    const { id } = await create(opened);
    for (const text of ['one', 'two']) {
      await conversations.sendEvent(id, { role: 'user', content: [{ type: 'text', text }] }, { run: false });
    }
    const [first = ''] = await messagesOf(opened, id);
    expect((await conversations.navigateConversation(id, { event_id: first })).leaf_event_id).toBe(first);
    expect((await conversations.navigateConversation(id, { event_id: null })).leaf_event_id).toBeNull();
    await expect(conversations.navigateConversation(id, { event_id: 'nothing' })).rejects.toMatchObject({
      status: 404,
    });
  },
  'events are searched by kind, page by page, counted and read': async (open) => {
    await using opened = await open();
    const { conversations } = opened.client;
    const { id } = await create(opened);
    for (let at = 0; at < 5; at += 1) {
      await conversations.sendEvent(id, { role: 'user', content: [{ type: 'text', text: `m${at}` }] }, { run: false });
    }
    const page = await conversations.searchEvents(id, { kind: 'MessageEvent', limit: 2 });
    expect(page.items).toHaveLength(2);
    const next = await conversations.searchEvents(id, {
      kind: 'MessageEvent',
      limit: 10,
      page_id: page.next_page_id ?? '',
    });
    expect(next.items).toHaveLength(3);
    expect(await conversations.getEventCount(id, { kind: 'MessageEvent' })).toBe(5);
    const [first = ''] = await messagesOf(opened, id);
    expect(await conversations.getEvent(id, first)).toMatchObject({ id: first, kind: 'MessageEvent', source: 'user' });
    expect(await conversations.getEvents(id, [first, 'nothing'])).toMatchObject([{ id: first }, null]);
  },
};
