import type { HttpBindings } from '@hono/node-server';

/**
 * Environment of a request: its connection, unless it was made in this process, and what keeps that; its id, and what
 * logs an error that occurs after its response has started.
 */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings> & { readonly trust?: () => void };
  readonly Variables: { readonly requestId: string; readonly reportFailure: (error: unknown) => void };
}
