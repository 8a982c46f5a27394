import { isLoopback } from '@varve/text';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ServerEnv } from '../route/route.ts';

/** Host names that a server accepts in addition to those of this machine. */
export interface CheckHostOptions {
  /** Address on which the server listens. */
  readonly host: string;
  /** Additional names, without a port. */
  readonly allowed: readonly string[];
}

/** Addresses that mean every address of the machine. */
const wildcards = new Set(['0.0.0.0', '::']);

/**
 * Rejects requests for another host, which protects against DNS rebinding: a page under the name of an attacker sends
 * that name. If the server listens on every address, the local address of the connection is accepted.
 */
export function checkHost({ host, allowed }: CheckHostOptions): MiddlewareHandler<ServerEnv> {
  const names = new Set([host, ...allowed].map(plain));
  const isEverywhere = wildcards.has(plain(host));
  return async (context, next) => {
    const named = hostOf(context);
    const name = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::\d{1,5})?$/i.exec(named)?.[1] ?? '';
    const isOurs =
      isLoopback(name) || names.has(plain(name)) || (isEverywhere && plain(name) === localAddress(context));
    if (name === '' || !isOurs) {
      throw new HTTPException(403, { message: `The host ${JSON.stringify(named)} is not served here.` });
    }
    await next();
  };
}

/** Returns the host of a request; a request made in this process has no header. */
export function hostOf({ req }: Context): string {
  return req.header('host') ?? new URL(req.url).host;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/^\[|\]$/g, '');
}

function localAddress({ env }: Context<ServerEnv>): string | undefined {
  return env.incoming?.socket.localAddress?.replace(/^::ffff:/, '');
}
