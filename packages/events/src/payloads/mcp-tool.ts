import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Call of a tool without a payload kind: MCP tools and tools of applications. */
export const MCPToolAction = defineAction('MCPToolAction', () => ({
  data: z.record(z.string(), z.unknown()).default({}),
}));

/** Result of a tool without a payload kind. */
export const MCPToolObservation = defineObservation('MCPToolObservation', () => ({ tool_name: z.string() }));
