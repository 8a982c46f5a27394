import { randomUUID } from 'node:crypto';
import { StorageError } from '@varve/storage';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';

/** Answers with a status and one sentence. */
export function refusal(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ detail }, { status, headers });
}

/**
 * Turns what a route threw into an answer. A bug gets an id that its line in the log has too.
 *
 * @see agent-server 1.43.1 error bodies: failures of the server keep their status and put their text into `exception`
 */
export function answerFailure(logger: Logger): (error: Error, context: Context) => Response {
  return (error, { req: { method, path } }) => {
    const detail = 'Internal Server Error';
    if (error instanceof HTTPException) {
      const { status, message } = error;
      if (status < 500) return refusal(status, message);
      return Response.json({ detail, exception: `${status}: ${message}` }, { status });
    }
    // A conversation may be removed while it is read.
    if (error instanceof StorageError && error.code === 'missing') return refusal(404, 'Not Found');
    const error_id = randomUUID().replaceAll('-', '');
    logger.error({ err: error, error_id, method, path }, 'failure');
    return Response.json({ detail, exception: error.message, error_id }, { status: 500 });
  };
}
