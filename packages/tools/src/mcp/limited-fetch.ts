import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../contract/error.ts';
import { messageOverLimit, StartBudget } from './message-limits.ts';
import { messageMeter } from './message-meter.ts';

/** Most requests without a response at once: a server may ask, and each of its questions is answered by a request. */
const maxOpenRequests = 32;

/** Shortest time between two streams that are opened: a server that ends each could ask for the next one at once. */
const streamMs = 1000;

/**
 * Returns a `fetch` for one connection. A response ends with a {@link ToolError} when a message is too large: the whole
 * body, or one event of a stream, which may be endless as long as blank lines separate its events.
 */
export function limitedFetch(budget = new StartBudget()): (url: string | URL, init?: RequestInit) => Promise<Response> {
  let open = 0;
  let nextStreamAt = 0;
  return async (url, init) => {
    if (open >= maxOpenRequests)
      throw new ToolError('unusable', `More than ${maxOpenRequests} requests have no response.`);
    open += 1;
    try {
      if (init?.method === 'GET') {
        const waitMs = Math.max(0, nextStreamAt - performance.now());
        nextStreamAt = performance.now() + waitMs + streamMs;
        if (waitMs > 0) await sleep(waitMs, undefined, init.signal ? { signal: init.signal } : {});
      }
      return limitedResponse(await fetch(url, init), budget, init);
    } finally {
      open -= 1;
    }
  };
}

/** Reports whether the client reads a body as events: after a request for a stream it reads any body so. */
function isStream({ headers }: Response, init: RequestInit = {}): boolean {
  const isRequested = init.method === 'GET' && new Headers(init.headers).get('accept')?.includes('text/event-stream');
  return isRequested === true || /^text\/event-stream/i.test(headers.get('content-type') ?? '');
}

function limitedResponse(response: Response, budget: StartBudget, init: RequestInit | undefined): Response {
  const { body, headers, status, statusText } = response;
  // The body of a redirect is not read.
  if (!body || (status >= 300 && status < 400)) return response;
  const exceededLimit = messageMeter(isStream(response, init));
  const limited = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        // An error that is thrown here ends the body.
        budget.take(chunk.length);
        const limit = exceededLimit(chunk);
        if (limit) throw messageOverLimit(limit);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(limited, { status, statusText, headers });
}
