import { randomUUID } from 'node:crypto';
import { safeJson } from '@varve/events/text';
import type { MiddlewareHandler } from 'hono';
import { pino, type Logger } from 'pino';
import type { LogOptions } from '../server-options.ts';
import type { ServerEnv } from './route/route.ts';

/** Creates a logger of printable JSON lines, without process id, host name and what `redact` replaces. */
export function loggerFor(log: LogOptions | undefined, redact: (text: string) => string): Logger {
  if (!log) return pino({ level: 'silent' });
  const { level, stream } = log;
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    // pino escapes no control characters above U+001F and no direction marks.
    { write: (line) => void stream.write(`${safeJson(redact(line.trimEnd()))}\n`) },
  );
}

/** Header of the id of a request, which the log contains too. */
export const requestIdHeader = 'X-Request-Id';

/**
 * Adds an id to each request, which its response has too, and logs it after its response, without headers, bodies and
 * queries: all three can contain a key. A short and plain id of the client is kept. Errors of a response that has
 * started are logged as well: nothing can be answered any more.
 */
export function requestLog(logger: Logger): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const began = performance.now();
    const { method, path } = context.req;
    const sent = context.req.header(requestIdHeader) ?? '';
    const request_id = /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
    context.set('requestId', request_id);
    context.set('reportFailure', (err) => logger.error({ err, request_id, method, path }, 'failure'));
    await next();
    const { status } = context.res;
    const ms = Math.round((performance.now() - began) * 10) / 10;
    logger[status >= 500 ? 'error' : 'info']({ method, path, status, ms, request_id }, 'request');
    context.header(requestIdHeader, request_id);
  };
}
