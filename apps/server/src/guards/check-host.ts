import { isLoopback } from '@varve/llm';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ServerEnv } from '../server-env.ts';

/** Which names a server answers to, beside those of this machine. */
export interface CheckHostOptions {
  /** Where it listens. */
  readonly host: string;
  /** Further names, without a port. */
  readonly allowed: readonly string[];
}

/** Addresses that stand for every address of the machine. */
const wildcards = new Set(['0.0.0.0', '::']);

/**
 * Refuses requests made for another host: a page whose name an attacker lets point at this machine (DNS rebinding) names
 * itself. Where the server listens at every address, the one that the connection came to counts as its host.
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

/** The host that a request names; one made in this process has no header. */
export function hostOf({ req }: Context): string {
  return req.header('host') ?? new URL(req.url).host;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/^\[|\]$/g, '');
}

function localAddress({ env }: Context<ServerEnv>): string | undefined {
  return env.incoming?.socket.localAddress?.replace(/^::ffff:/, '');
}
