import type { HttpBindings } from '@hono/node-server';

/** What a request brings along: its connection, unless it was made in this process. */
export interface ServerEnv {
  readonly Bindings: Partial<HttpBindings>;
}
