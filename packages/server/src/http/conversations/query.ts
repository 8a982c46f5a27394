import { z } from '@hono/zod-openapi';
import { naiveLocal } from './naive-local.ts';

/** Query parameter for an instant of ISO 8601, parsed to the form of event timestamps. */
export const instant = z
  .stringFormat('datetime', (text) => naiveLocal(text) !== undefined)
  .transform((text) => naiveLocal(text) ?? '')
  .openapi({ type: 'string', format: 'date-time' });

/** Query parameter for an exact cursor: the seq of the last event that the client has; -1 for none. */
export const after_seq = z.coerce.number().int().gte(-1).optional();
