import { z } from '@hono/zod-openapi';

/**
 * Number of items per page, 1 to 100.
 *
 * @see agent-server 1.43.1, which fails with status 500 above 100
 */
export const pageLimit = z.coerce.number().int().gt(0).lte(100).default(100);
