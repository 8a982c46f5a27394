import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { conversationInfo } from '../../reference/info/conversation-info.ts';
import { contentOf } from '../../reference/request/message-request.ts';
import { startRequest, tagsRequest } from '../../reference/request/start-request.ts';
import { accessOf } from '../route/route.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { unlessMissing } from '@varve/storage/kit';
import { conversationErrors, conversationParams } from './conversation-action.ts';
import { include_skills } from './conversations.ts';
import { infoById } from './info-response.ts';
import { success, successful } from '../route/route-config.ts';

/** Routes that create, change and remove conversations. */
export const conversationLifecycleRoutes = tagged('Conversations', [
  defineRoute({
    method: 'post',
    path: '/api/conversations',
    summary: 'Create a conversation, and run it if it has an initial message.',
    query: () => z.object({ include_skills: include_skills() }),
    body: startRequest,
    status: 201,
    response: conversationInfo,
    alternatives: { 200: 'The conversation exists, and was not changed.' },
    errors: { 404: 'The agent profile does not exist.' },
    async handle({ query, body }, services, context) {
      const { conversations } = services;
      const { id, isNew } = await conversations.create(body, accessOf(context));
      const { initial_message: message } = body;
      // A process may have ended before it stored the message of one that it created: with its id it is stored once.
      const content = message && (isNew || message.id !== undefined) ? contentOf(message) : [];
      if (content.length > 0) await conversations.send(id, content, { run: !isNew, id: message?.id });
      // Clients expect the state before the run.
      const info = await infoById(id, services, { includeSkills: query.include_skills });
      // Another client may have started a run.
      if (isNew && content.length > 0) await conversations.send(id, [], { run: true });
      if (!info) throw new HTTPException(404, { message: 'Not Found' });
      return Response.json(info, { status: isNew ? 201 : 200 });
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/conversations/{conversation_id}',
    summary: 'Change title and tags.',
    params: conversationParams,
    body: () =>
      z
        .object({ title: z.string().trim().min(1).max(200).nullish(), tags: tagsRequest().nullish() })
        .openapi('UpdateConversationRequest'),
    response: success,
    errors: { 404: 'Another process holds the conversation.' },
    async handle({ params: { conversation_id: id }, body: { title, tags } }, { conversations }) {
      const changed = conversations.use(id, async ({ conversation }) => {
        if (typeof title === 'string') await conversation.rename(title);
        if (tags) await conversation.updateFields({ tags });
        return true;
      });
      return Response.json({ success: (await unlessMissing(changed)) ?? false });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/conversations/{conversation_id}',
    summary: 'Stop and remove a conversation. Its workspace stays.',
    params: conversationParams,
    response: success,
    errors: conversationErrors,
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.remove(id);
      return successful();
    },
  }),
]);
