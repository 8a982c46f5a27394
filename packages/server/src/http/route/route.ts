import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ServerEnv } from './server-env.ts';
import type { Services } from '../services.ts';

/** One operation: its entry in the OpenAPI document and its handler. */
export interface Route {
  readonly config: RouteConfig;
  /** Handles a request. Throws an `HTTPException` for errors of the client. */
  readonly handle: (context: Context<ServerEnv>, services: Services) => Promise<Response>;
}
