import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { HTTPException } from 'hono/http-exception';
import { conversationIdField } from '../../reference/info/conversation-id.ts';
import { conversationInfo } from '../../reference/info/conversation-info.ts';
import { RequestError } from '../../error.ts';
import { tagsRequest } from '../../reference/request/start-request.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import type { Services } from '../services.ts';
import { conversationParams } from './conversation-action.ts';
import { include_skills } from './conversations.ts';
import { infoById } from './info-response.ts';

const query = lazy(() => z.object({ include_skills: include_skills() }));
const forkRequest = lazy(() =>
  z
    .object({
      id: conversationIdField().nullish(),
      title: z.string().trim().min(1).max(200).nullish(),
      tags: tagsRequest().nullish(),
      reset_metrics: z.boolean().default(true),
      from_event_id: z.string().nullish(),
    })
    .openapi('ForkConversationRequest'),
);
const navigateRequest = lazy(() =>
  z
    .object({
      event_id: z.string().nullish(),
      scope: z.enum(['chat', 'files', 'both']).default('chat'),
      dry_run: z.boolean().default(false).openapi({ description: 'Changes nothing; the response is a FilesPlan.' }),
    })
    .openapi('NavigateConversationRequest'),
);
const filesPlan = lazy(() => {
  const file = z.object({ hash: z.string().nullable(), mode: z.string() });
  const kind = z.enum(['write', 'delete', 'conflict', 'cannot']);
  const step = z.object({ kind, path: z.string(), before: file, after: file, reason: z.string().optional() });
  return z.object({ steps: z.array(step), gaps: z.array(z.string()) }).openapi('FilesPlan');
});

/** Routes that copy conversations, and move them to another branch. */
export const conversationBranchRoutes = tagged('Conversations', [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/fork',
    summary: 'Create a conversation from the beginning of another.',
    params: conversationParams,
    query,
    body: () => forkRequest().optional(),
    status: 201,
    response: conversationInfo,
    errors: { 404: 'The conversation or event does not exist, or another process holds it.', 409: 'The id exists.' },
    async handle({ params: { conversation_id: id }, query: options, body = {} }, services) {
      const { id: wanted, title, tags, from_event_id: at, reset_metrics: isReset } = { ...body };
      const fork = await services.conversations.fork(id, {
        id: wanted ?? undefined,
        at: at ?? undefined,
        title: title ?? undefined,
        tags: tags ?? undefined,
        keepsMetrics: isReset === false,
      });
      return infoResponse(fork, options.include_skills, services, 201);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/navigate',
    summary: 'Continue after another event; null is the position before every event.',
    params: conversationParams,
    query,
    body: navigateRequest,
    response: () => z.union([conversationInfo(), filesPlan()]),
    errors: { 404: 'The conversation or event does not exist, or another process holds it.', 409: 'A run is active.' },
    async handle({ params: { conversation_id: id }, query: options, body }, services) {
      const { event_id: eventId, scope, dry_run: dryRun } = body;
      const { conversations, store } = services;
      const { steps, gaps } = await conversations.use(id, async (live) => {
        if (typeof eventId === 'string' && (await (await store.read(id)).seqOf(eventId)) === undefined) {
          throw new RequestError('unknown', `Unknown event_id: ${eventId}`);
        }
        return live.hosted.runs.withoutRun(() => live.conversation.navigate(eventId ?? undefined, { scope, dryRun }));
      });
      return dryRun ? Response.json({ steps, gaps }) : infoResponse(id, options.include_skills, services, 200);
    },
  }),
]);

async function infoResponse(id: string, includeSkills: boolean, services: Services, status: number): Promise<Response> {
  const info = await infoById(id, services, { includeSkills });
  if (!info) throw new HTTPException(404, { message: 'Not Found' });
  return Response.json(info, { status });
}
