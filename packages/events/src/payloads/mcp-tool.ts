import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** A call of a tool that has no payload kind of its own: MCP tools and tools that users define. */
export const MCPToolAction = defineAction('MCPToolAction', { data: z.record(z.string(), z.unknown()).default({}) });

/** The result of such a call. */
export const MCPToolObservation = defineObservation('MCPToolObservation', { tool_name: z.string() });
