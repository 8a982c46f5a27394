import { z } from '@hono/zod-openapi';

/** Command of a client. @see agent-server 1.43.1 OpenAPI, ExecuteBashRequest */
export const bashRequest = z
  .object({ command: z.string(), cwd: z.string().nullable().default(null), timeout: z.int().default(300) })
  .openapi('ExecuteBashRequest');
