// Serves an agent to `useChat`: its conversations survive the death of this process.
import { serve } from '@hono/node-server';
import { uiMessages, uiMessageStream } from '@varve/ai-sdk';
import { createHost } from '@varve/host';
import { sqliteStore } from '@varve/storage/sqlite';
import { createUIMessageStreamResponse } from 'ai';
import { Hono } from 'hono';
import { agent } from './agent.ts';

const host = createHost({ store: await sqliteStore({ path: 'chats.db' }), agents: { chat: agent } });
await host.recover();
const reply = async ({ id, messages }: { readonly id: string; readonly messages?: unknown }): Promise<Response> => {
  const stream = await host.use(await host.create({ agent: 'chat', id }), (chat) => uiMessageStream(chat, messages));
  return stream ? createUIMessageStreamResponse({ stream }) : new Response(null, { status: 204 });
};
const app = new Hono();
app.post('/api/chat', async ({ req }) => reply(await req.json()));
app.get('/api/chat/:id/stream', async ({ req }) => reply({ id: req.param('id') }));
app.get('/api/chat/:id', async (c) => c.json(await host.use(c.req.param('id'), uiMessages)));
serve({ fetch: app.fetch, port: Number(process.env['PORT']) }, ({ port }) => console.log(`http://localhost:${port}`));
