import type { Context } from 'hono';
import type { ServerEnv } from './route.ts';

/**
 * Returns a response whose body shows no error to the client: it is reported to the server, and the connection ends.
 * The HTTP adapter would print the error and send its text. A request of this process gets the body as it is.
 *
 * @see @hono/node-server, `handleResponseError`
 */
export function guardedBody(response: Response, { env, var: { reportFailure } }: Context<ServerEnv>): Response {
  const outgoing = env?.outgoing;
  if (!response.body || !outgoing) return response;
  let isCancelled = false;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // The client has left.
          if (isCancelled) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reportFailure(error);
          outgoing.destroy();
          controller.close();
        }
      },
      cancel(reason) {
        isCancelled = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
