import { z } from '@hono/zod-openapi';
import { lazy, type Content } from '@varve/events';

const text = lazy(() => z.object({ type: z.literal('text'), text: z.string() }));
const image = lazy(() => z.object({ type: z.literal('image'), image_urls: z.array(z.string()) }));

/**
 * Message of a user. `run` starts a run after it.
 *
 * @see agent-server 1.43.1 OpenAPI, SendMessageRequest (other roles pass its validation, and fail later)
 */
export const messageRequest = lazy(() =>
  z
    .object({
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
