import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { canonicalId } from '@varve/storage';
import { unlessMissing } from '@varve/storage/kit';
import { visibleSummary } from '../../access.ts';
import { accessOf } from '../route/route.ts';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { conversationParams } from './conversation-action.ts';
import { conversationOrders, countConversations, searchConversations } from './conversation-search.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { conversationInfo, executionStatus } from '../../reference/info/conversation-info.ts';
import { pageLimit, repeated } from '../route/query.ts';
import { infoById, infoOf } from './info-response.ts';

/** Parameter that includes the texts of skills. */
export const include_skills = lazy(() => z.stringbool().default(false).openapi({ type: 'boolean', default: false }));
const order = lazy(() => z.enum(conversationOrders).default('CREATED_AT_DESC'));
const page = lazy(() =>
  z.object({ items: z.array(conversationInfo()), next_page_id: z.string().nullable() }).openapi('ConversationPage'),
);

/** Routes of conversations, which read listings and logs without a lease. */
export const conversationRoutes = tagged('Conversations', [
  defineRoute({
    method: 'get',
    path: '/api/conversations/search',
    summary: 'Search conversations.',
    query: () =>
      z.object({
        page_id: z.string().optional(),
        limit: pageLimit(),
        status: executionStatus().optional(),
        sort_order: order(),
        include_skills: include_skills(),
      }),
    response: page,
    async handle({ query }, services, context) {
      const access = accessOf(context);
      const { page_id: pageId, sort_order, ...rest } = query;
      const wanted = {
        ...rest,
        access,
        order: sort_order,
        pageId: pageId === undefined ? pageId : canonicalId(pageId),
      };
      const { items, nextPageId } = await searchConversations(services, wanted);
      const infos = await Promise.all(
        items.map((summary) => infoOf(summary, services, { includeSkills: query.include_skills })),
      );
      return Response.json({ items: infos.filter((info) => info !== undefined), next_page_id: nextPageId });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/count',
    summary: 'Count conversations.',
    query: () => z.object({ status: executionStatus().optional() }),
    response: () => z.int(),
    handle: async ({ query: { status } }, services, context) =>
      Response.json(await countConversations(services, { status, access: accessOf(context) })),
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations',
    summary: 'Get conversations by their ids; null for unknown ones.',
    query: () => z.object({ ids: repeated(conversationId()), include_skills: include_skills() }),
    response: () => z.array(conversationInfo().nullable()),
    async handle({ query }, services, context) {
      const access = accessOf(context);
      const options = { includeSkills: query.include_skills };
      const infos = await Promise.all(
        query.ids.map(async (id) => {
          const summary = await unlessMissing(visibleSummary(services.store, id, access));
          return summary && infoOf(summary, services, options);
        }),
      );
      return Response.json(infos.map((info) => info ?? null));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}',
    summary: 'Get a conversation.',
    params: conversationParams,
    query: () => z.object({ include_skills: include_skills() }),
    response: conversationInfo,
    errors: { 404: 'The conversation does not exist.' },
    async handle({ params, query }, services) {
      const info = await infoById(params.conversation_id, services, { includeSkills: query.include_skills });
      if (!info) throw new HTTPException(404, { message: 'Not Found' });
      return Response.json(info);
    },
  }),
]);
