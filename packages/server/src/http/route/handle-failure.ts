import { randomUUID } from 'node:crypto';
import { errnoOf } from '@varve/files';
import { HostError, httpStatusOf } from '@varve/host';
import { SettingsError } from '@varve/settings';
import { StorageError } from '@varve/storage';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { RequestError } from '../../error.ts';
import type { ServerEnv } from './route.ts';

/** Returns a response with an error status and one sentence. */
export function errorResponse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ detail }, { status, headers });
}

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

/**
 * Returns the response to an error that the client can act on; undefined for any other.
 *
 * @see agent-server 1.43.1: a conversation that another process holds counts as missing
 */
export function refusalOf(error: Error): Refusal | undefined {
  const { message: detail } = error;
  if (error instanceof HTTPException) return { status: error.status, detail };
  if (error instanceof RequestError) return { status: error.status, detail };
  // The person has to change a file before the request can succeed.
  if (error instanceof SettingsError && error.code !== 'io') return { status: 409, detail };
  if (isFull(error)) return { status: 507, detail };
  const status = httpStatusOf(error);
  if (status === 500) return undefined;
  if (error instanceof HostError && error.code === 'stopping') return { status, detail: 'The server is stopping.' };
  // A conversation may be removed while it is read.
  return { status, detail: error instanceof StorageError && error.code === 'missing' ? 'Not Found' : detail };
}

/** SQLITE_FULL: the files of settings are locked by databases. */
const sqliteFull = 13;

/** Returns true for a failure because there is no space for a file or the store. */
function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfStore = error instanceof StorageError && error.code === 'full';
  const isOfLock = 'errcode' in error && error.errcode === sqliteFull;
  return isOfStore || isOfLock || ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '') || isFull(error.cause);
}

/**
 * Returns the error handler of the app; `redact` replaces secrets in messages. An unexpected error gets an id that is
 * in the response and in the log.
 *
 * @see agent-server 1.43.1 error bodies: failures of the server keep their status and put their text into `exception`
 */
export function handleFailure(
  logger: Logger,
  redact: (text: string) => string,
): (error: Error, context: Context<ServerEnv>) => Response {
  return (error, context) => {
    const { method, path } = context.req;
    const refusal = refusalOf(error);
    if (refusal && error instanceof RequestError && error.fields)
      return Response.json(
        { detail: { message: redact(refusal.detail), ...error.fields } },
        { status: refusal.status },
      );
    const logged = { err: error, request_id: context.get('requestId'), method, path };
    // An operator has to make space, or to look at the database.
    if (refusal && isOfOperator(refusal, error)) logger.error(logged, 'failure');
    if (refusal) return response({ ...refusal, detail: redact(refusal.detail) });
    const error_id = randomUUID().replaceAll('-', '');
    logger.error({ ...logged, error_id }, 'failure');
    return Response.json({ detail: hidden, exception: redact(error.message), error_id }, { status: 500 });
  };
}

function isOfOperator({ status }: Refusal, error: Error): boolean {
  return status === 507 || (status === 503 && error instanceof StorageError);
}

/** Statuses after which a client may repeat its request. */
const retried = new Set([503, 507]);

/** Detail of every failure of the server. */
const hidden = 'Internal Server Error';

function response({ status, detail }: Refusal): Response {
  if (status === 429) return errorResponse(status, detail, { 'retry-after': '5' });
  if (status < 500) return errorResponse(status, detail);
  const headers = { ...(retried.has(status) && { 'retry-after': '5' }) };
  return Response.json({ detail: hidden, exception: `${status}: ${detail}` }, { status, headers });
}
