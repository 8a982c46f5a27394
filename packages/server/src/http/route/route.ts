import type { HttpBindings } from '@hono/node-server';
import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Access } from '../../access.ts';
import type { Services } from '../services.ts';

/** One operation: its entry in the OpenAPI document and its handler. */
export interface Route {
  readonly method: RouteConfig['method'];
  readonly path: string;
  /** Returns the entry in the document; `tag` is that of its list. */
  readonly config: (tag?: string) => RouteConfig;
  /** Handles a request. Throws an `HTTPException` for errors of the client. */
  readonly handle: (context: Context<ServerEnv>, services: Services) => Promise<Response>;
}

/**
 * Environment of a request: its connection, unless it was made in this process, what keeps that, and the address of its
 * sender; its id, and what logs an error that occurs after its response has started.
 */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings> & { readonly trust?: () => void; readonly sender?: string };
  readonly Variables: {
    readonly requestId: string;
    /** Absent for a request that needs no key. */
    readonly access?: Access;
    readonly reportFailure: (error: unknown) => void;
    /** True once a request of the gateway has started a run. */
    readonly isRunBegun?: boolean;
  };
}

/** Returns what the sender of a request may do. @throws {HTTPException} 401 for one that no guard has accepted. */
export function accessOf(context: Context<ServerEnv>): Access {
  const access = context.get('access');
  if (!access) throw new HTTPException(401, { message: 'Unauthorized' });
  return access;
}
