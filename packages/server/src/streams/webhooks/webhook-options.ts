import type { Variables } from '@varve/text';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { ServerError } from '../../error.ts';

const count = lazy(() => z.int().positive());

/** Tests whether a request can have these headers. The errors of requests contain headers that are invalid. */
function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

/** Receiver of the events of all conversations. @see agent-server 1.43.1 OpenAPI, WebhookSpec */
export const webhook = lazy(() =>
  z.object({
    base_url: z
      .url({ protocol: /^https?$/ })
      // No request can be made to such an address.
      .refine((url) => !URL.parse(url)?.username && !URL.parse(url)?.password)
      .transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    /** True for a receiver that is sent the key of the server, but never over plain HTTP to another host. */
    send_key: z.boolean().default(true),
    /** Secret of the signatures, `whsec_` and 24 to 64 bytes in base64. Default: one that follows from the key. */
    secret: z
      .string()
      .regex(/^whsec_[\d+/A-Za-z]{32,86}={0,2}$/)
      .optional(),
    headers: z.record(z.string(), z.string()).refine(areHeaders).default({}),
    /** Events of a batch; that many are sent without a delay. */
    event_buffer_size: count().default(5),
    /** Seconds after which fewer events are sent. */
    flush_delay: z.number().nonnegative().default(30),
    num_retries: z.int().nonnegative().default(3),
    /** Seconds. */
    retry_delay: z.number().nonnegative().default(5),
    max_queue_size: count().default(1000),
    max_batch_bytes: count().default(5 * 1024 * 1024),
    max_queue_bytes: count().default(50 * 1024 * 1024),
  }),
);
export type WebhookOptions = z.output<ReturnType<typeof webhook>>;
export type WebhookInput = z.input<ReturnType<typeof webhook>>;

/**
 * Returns the webhooks of the options of a server, else those of OH_WEBHOOKS, a JSON list.
 *
 * @throws {ServerError} `invalid`; the message contains no value.
 */
export function webhookOptions(
  configured: readonly WebhookInput[] | undefined,
  env: Variables,
): readonly WebhookOptions[] {
  const text = env['OH_WEBHOOKS']?.trim();
  if (!configured && !text) return [];
  const { data, error } = z.array(webhook()).safeParse(configured ?? parseJson(text ?? ''));
  if (data) return data;
  throw new ServerError('invalid', `The webhooks are invalid: ${error.issues[0]?.path.join('.') || 'no list'}.`);
}
