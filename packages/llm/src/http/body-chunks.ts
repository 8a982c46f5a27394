import type { CallControl } from './call-watch.ts';
import type { ServerErrors } from './failures.ts';

/** How a body is read, and for how long. */
export interface BodyOptions {
  readonly control: CallControl;
  readonly errors: ServerErrors;
  /**
   * How long the rest may take, once what was read so far is a whole answer; as long as it is, nothing that goes wrong
   * matters. Undefined otherwise.
   */
  readonly remainingMs: () => number | undefined;
}

/**
 * The bytes of a body as they come. Ends early when the call does, or when the rest of a whole answer takes too long.
 *
 * @throws {LlmError} `aborted` or `timeout` when the call has ended, `unavailable` or `timeout` when the body breaks off.
 */
export async function* bodyChunks(
  response: Response,
  { control: watch, errors: failures, remainingMs: restMs }: BodyOptions,
): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const grace = changingTimer(stop);
  watch.signal.addEventListener('abort', stop, { once: true });
  if (watch.signal.aborted) stop();
  try {
    for (;;) {
      grace.limit(restMs());
      const { done, value } = await reader.read();
      watch.throwIfEnded();
      if (done) return;
      yield value;
    }
  } catch (error) {
    watch.throwIfEnded();
    if (restMs() === undefined) throw failures.fromBody(error);
  } finally {
    grace.clear();
    watch.signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Fires once, after the limit that was set last, if any. */
function changingTimer(fire: () => void): { limit(ms: number | undefined): void; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  let current: number | undefined;
  return {
    limit(ms) {
      if (ms === current) return;
      clearTimeout(timer);
      current = ms;
      timer = ms === undefined ? undefined : setTimeout(fire, ms);
    },
    clear: () => clearTimeout(timer),
  };
}
