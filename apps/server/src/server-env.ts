import type { HttpBindings } from '@hono/node-server';

/** Environment of a request: its connection, unless it was made in this process. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
}
