import type { HttpBindings } from '@hono/node-server';

/** Environment of a request: its connection, unless it was made in this process, and its id. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { readonly requestId: string };
}
