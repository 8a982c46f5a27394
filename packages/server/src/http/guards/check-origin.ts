import { isLoopback } from '@varve/text';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { ServerError } from '../../error.ts';
import { hostOf } from './check-host.ts';

/**
 * Rejects requests from pages of other origins, and allows pages of this machine and of the allowed origins to read
 * responses. Neither sends the key by itself: a page must know it.
 *
 * @throws {ServerError} `invalid` for an invalid allowed origin.
 * @see agent-server 1.43.1 CORS (it also serves the pages of all other origins, which cannot read the responses)
 */
export function checkOrigin(allowed: readonly string[]): readonly MiddlewareHandler[] {
  for (const origin of allowed) assertOrigin(origin);
  const check: MiddlewareHandler = async (context, next) => {
    const origin = context.req.header('origin');
    if (origin !== undefined && !isAllowed(origin, allowed) && URL.parse(origin)?.host !== hostOf(context)) {
      throw new HTTPException(403, { message: `Pages of ${JSON.stringify(origin)} may not call this server.` });
    }
    await next();
  };
  const echoed = (origin: string): string | null => (isAllowed(origin, allowed) ? origin : null);
  return [check, cors({ origin: echoed, credentials: true, maxAge: 600 })];
}

function isAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin)) return true;
  const { origin: whole, protocol, hostname } = URL.parse(origin) ?? {};
  return whole === origin && (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname ?? '');
}

function assertOrigin(origin: string): void {
  if (URL.parse(origin)?.origin === origin) return;
  throw new ServerError('invalid', `${JSON.stringify(origin)} is not an origin such as https://app.example.`);
}
