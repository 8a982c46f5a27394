import { randomUUID } from 'node:crypto';
import { StorageError } from '@varve/storage';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';

/** Returns a response with an error status and one sentence. */
export function errorResponse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ detail }, { status, headers });
}

/**
 * Returns the error handler of the app. An unexpected error gets an id that is in the response and in the log.
 *
 * @see agent-server 1.43.1 error bodies: failures of the server keep their status and put their text into `exception`
 */
export function handleFailure(logger: Logger): (error: Error, context: Context) => Response {
  return (error, { req: { method, path } }) => {
    const detail = 'Internal Server Error';
    if (error instanceof HTTPException) {
      const { status, message } = error;
      if (status < 500) return errorResponse(status, message);
      return Response.json({ detail, exception: `${status}: ${message}` }, { status });
    }
    // A conversation may be removed while it is read.
    if (error instanceof StorageError && error.code === 'missing') return errorResponse(404, 'Not Found');
    const error_id = randomUUID().replaceAll('-', '');
    logger.error({ err: error, error_id, method, path }, 'failure');
    return Response.json({ detail, exception: error.message, error_id }, { status: 500 });
  };
}
