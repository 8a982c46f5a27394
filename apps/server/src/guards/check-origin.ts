import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { ServerError } from '../error.ts';
import { hostOf } from './check-host.ts';

/**
 * Rejects requests from pages of other origins, and allows pages of the allowed origins to read responses.
 *
 * @throws {ServerError} `invalid` for an invalid allowed origin.
 * @see agent-server 1.43.1 CORS (it serves every origin, and lets any page of localhost read; we do neither unasked)
 */
export function checkOrigin(allowed: readonly string[]): readonly MiddlewareHandler[] {
  for (const origin of allowed) assertOrigin(origin);
  const check: MiddlewareHandler = async (context, next) => {
    const origin = context.req.header('origin');
    if (origin !== undefined && !allowed.includes(origin) && URL.parse(origin)?.host !== hostOf(context)) {
      throw new HTTPException(403, { message: `Pages of ${JSON.stringify(origin)} may not call this server.` });
    }
    await next();
  };
  return allowed.length === 0 ? [check] : [check, cors({ origin: [...allowed], credentials: true, maxAge: 600 })];
}

function assertOrigin(origin: string): void {
  if (URL.parse(origin)?.origin === origin) return;
  throw new ServerError('invalid', `${JSON.stringify(origin)} is not an origin such as https://app.example.`);
}
