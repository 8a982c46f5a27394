import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { lazy, type Content } from '@varve/events';

const text = lazy(() => z.object({ type: z.literal('text'), text: z.string() }));
const image = lazy(() => z.object({ type: z.literal('image'), image_urls: z.array(z.string()) }));

/** Id of a message that its client chooses, and of its event: a message that is sent again is stored once. */
export const messageId = lazy(() =>
  z
    .string()
    .regex(/^[\dA-Fa-f-]{8,64}$/)
    .toLowerCase(),
);

/** Returns the id of a message for a key that its client chose, an id or any other text. */
export function messageIdOf(key: string): string {
  return messageId().safeParse(key).data ?? createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/**
 * Message of a user. `run` starts a run after it.
 *
 * @see agent-server 1.43.1 OpenAPI, SendMessageRequest (other roles pass its validation, and fail later)
 */
export const messageRequest = lazy(() =>
  z
    .object({
      id: messageId().optional(),
      role: z.literal('user').default('user'),
      content: z.array(z.discriminatedUnion('type', [text(), image()])).default([]),
      run: z.boolean().default(false),
    })
    .openapi('SendMessageRequest'),
);
export type MessageRequest = z.output<ReturnType<typeof messageRequest>>;

/** Returns the content of a message; none for a message without text and images. */
export function contentOf({ content }: MessageRequest): readonly Content[] {
  return content
    .filter((block) => (block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0))
    .map((block) => ({ ...block, cache_prompt: false }));
}
