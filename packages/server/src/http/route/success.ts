import { z } from '@hono/zod-openapi';

/** Response of operations without a result. @see agent-server 1.43.1 OpenAPI, Success */
export const success = z.object({ success: z.boolean().default(true) }).openapi('Success');

/** Returns the response of an operation that succeeded. */
export function successful(): Response {
  return Response.json({ success: true });
}
