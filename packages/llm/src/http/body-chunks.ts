import { LlmError } from '../error.ts';
import type { CallControl } from './call-control.ts';
import type { HttpResponse } from './http-post.ts';
import type { ServerErrors } from './server-errors.ts';

/** Control and errors of the call that reads a body. */
export interface BodyOptions {
  readonly control: CallControl;
  readonly errors: ServerErrors;
  /** Most bytes of the body. */
  readonly maxBytes: number;
  /**
   * Time that the rest of the body may take, once the chunks so far contain a whole reply. A failure is then ignored.
   * Undefined before.
   */
  readonly remainingMs: () => number | undefined;
}

/**
 * Yields the chunks of a body. Ends early when the call does, or when the rest after a whole reply takes too long.
 *
 * @throws {LlmError} `aborted` or `timeout` when the call has ended, `unavailable` or `timeout` when the body ends
 * early, `reply-limit` when it is too long.
 */
export async function* bodyChunks(
  response: HttpResponse,
  { control, errors, maxBytes, remainingMs }: BodyOptions,
): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const remaining = adjustableTimer(stop);
  control.signal.addEventListener('abort', stop, { once: true });
  if (control.signal.aborted) stop();
  let size = 0;
  try {
    for (;;) {
      remaining.setLimit(remainingMs());
      const { done, value } = await reader.read();
      control.throwIfEnded();
      if (done) return;
      size += value.length;
      if (size > maxBytes) throw errors.overLimit('bytes in a response', maxBytes);
      yield value;
    }
  } catch (error) {
    control.throwIfEnded();
    if (error instanceof LlmError) throw error;
    if (remainingMs() === undefined) throw errors.fromBody(error);
  } finally {
    remaining.clear();
    control.signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Fires once, when the last limit that was set has passed. */
function adjustableTimer(fire: () => void): { setLimit(ms: number | undefined): void; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  let current: number | undefined;
  return {
    setLimit(ms) {
      if (ms === current) return;
      clearTimeout(timer);
      current = ms;
      timer = ms === undefined ? undefined : setTimeout(fire, ms);
    },
    clear: () => clearTimeout(timer),
  };
}
