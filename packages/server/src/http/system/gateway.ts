import { z } from '@hono/zod-openapi';
import { lazy, type Content } from '@varve/events';
import { parseJson } from '@varve/text';
import { HTTPException } from 'hono/http-exception';
import { dashedId, isConversationId } from '../../reference/info/conversation-id.ts';
import { refuseUnsupported } from './gateway-errors.ts';
import {
  answerOf,
  beginRun,
  conversationHeader,
  answerMs,
  gatewayModels,
  type Completion,
  type CompletionResult,
} from './gateway-messages.ts';
import { completionEvents } from './gateway-stream.ts';
import { defineRoute } from '../route/define-route.ts';
import { guardedBody } from '../route/guarded-body.ts';
import { accessOf, type Route } from '../route/route.ts';

const tag = 'OpenAI Compatibility';

const part = lazy(() =>
  z.looseObject({
    type: z.string(),
    text: z.string().nullish(),
    image_url: z.union([z.string(), z.object({ url: z.string() })]).nullish(),
  }),
);
const message = lazy(() =>
  z.looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z.union([z.string(), z.array(part())]).nullish(),
  }),
);
type Message = z.output<ReturnType<typeof message>>;

/** @see agent-server 1.43.1 OpenAPI, OpenAIChatCompletionRequest */
const completionRequest = lazy(() =>
  z
    .looseObject({
      model: z.string(),
      messages: z.array(message()),
      stream: z.boolean().default(false),
      stream_options: z.object({ include_usage: z.boolean().default(false) }).nullish(),
    })
    .openapi('OpenAIChatCompletionRequest'),
);
type CompletionRequest = z.output<ReturnType<typeof completionRequest>>;

const headers = lazy(() =>
  z.object({
    [conversationHeader]: z.string().optional(),
    'X-OpenHands-Observability-Span-Name': z.string().optional(),
    'X-OpenHands-Observability-Tags': z.string().optional(),
    'X-OpenHands-Observability-Metadata': z.string().optional(),
  }),
);

/** Routes with the protocol of OpenAI: each profile is a model, and an agent answers. */
export const gatewayRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/v1/models',
    tag,
    summary: 'List a model for each profile.',
    response: () => z.object({ object: z.literal('list'), data: z.array(z.looseObject({ id: z.string() })) }),
    async handle(_input, services) {
      const data = (await gatewayModels(services)).map((id) => ({
        id,
        created: 0,
        object: 'model',
        owned_by: 'openhands',
        shutdown_date: null,
      }));
      return Response.json({ object: 'list', data });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/v1/chat/completions',
    tag,
    summary: 'Let the agent of the settings answer the last message of the user.',
    headers,
    body: completionRequest,
    response: () => z.looseObject({ id: z.string(), object: z.literal('chat.completion') }),
    async handle({ body, request }, services, context) {
      refuseUnsupported(body);
      const run = await beginRun(
        { ...completionOf(body), ...contextOf(request.headers), access: accessOf(context) },
        services,
      );
      context.set('isRunBegun', true);
      const { model, stream_options: options } = body;
      const { conversationId } = run;
      const created = Math.floor(services.now() / 1000);
      const shared = { [conversationHeader.toLowerCase()]: dashedId(conversationId) };
      if (!body.stream)
        return Response.json(documentOf(body, await answerOf(run, services, AbortSignal.timeout(answerMs)), created), {
          headers: shared,
        });
      const stream = completionEvents(
        {
          conversationId,
          model,
          created,
          includesUsage: options?.include_usage === true,
          result: answerOf(run, services, request.signal),
          reportFailure: context.get('reportFailure'),
        },
        services,
      );
      const streamed = { ...shared, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
      return guardedBody(new Response(stream, { headers: streamed }), context);
    },
  }),
];

/** The agent has its own memory of the conversation: only the last message of the user is sent to it. */
function completionOf({ model, messages }: CompletionRequest): Omit<Completion, 'access'> {
  const last = messages.findLast(({ role }) => role === 'user');
  const content = last ? contentOf(last) : [];
  if (content.length === 0) throw new HTTPException(400, { message: 'The request has no message of the user.' });
  const instructions = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .flatMap((each) => contentOf(each).flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  return { model, content, instructions };
}

function contentOf({ content }: Message): readonly Content[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts.flatMap((each): readonly Content[] => {
    if (each.type === 'text') {
      const text = each.text ?? '';
      return text.trim() === '' ? [] : [{ type: 'text', text, cache_prompt: false }];
    }
    const image = 'image_url' in each ? each.image_url : undefined;
    const url = typeof image === 'string' ? image : image?.url;
    if (each.type === 'image_url' && url) return [{ type: 'image', image_urls: [url], cache_prompt: false }];
    throw new HTTPException(400, { message: `Content of the type ${JSON.stringify(each.type)} is not supported.` });
  });
}

function contextOf(sent: Headers): Pick<Completion, 'conversationId' | 'observability'> {
  const id = sent.get(conversationHeader);
  if (id !== null && !isConversationId(id))
    throw new HTTPException(422, { message: `${conversationHeader} is not the id of a conversation.` });
  const span = sent.get('x-openhands-observability-span-name');
  const tags = sent.get('x-openhands-observability-tags');
  const metadata = sent.get('x-openhands-observability-metadata');
  return {
    ...(id !== null && { conversationId: id }),
    observability: {
      ...(span !== null && { observability_span_name: span }),
      ...(tags !== null && {
        observability_tags: tags
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      }),
      ...(metadata !== null && { observability_metadata: metadataOf(metadata) }),
    },
  };
}

function metadataOf(text: string): Record<string, unknown> {
  const { data } = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (data) return data;
  throw new HTTPException(422, { message: 'X-OpenHands-Observability-Metadata is no JSON object.' });
}

function documentOf({ model }: CompletionRequest, { conversationId, text, usage }: CompletionResult, created: number) {
  const answer = { role: 'assistant', content: text, refusal: null };
  return {
    id: `chatcmpl-${conversationId}`,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message: answer }],
    usage,
  };
}
