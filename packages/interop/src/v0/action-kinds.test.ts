import { expect, test } from 'vitest';
import { MCPToolAction } from '@varve/events/payloads';
import { actionFor } from './action-kinds.ts';

test.for(['constructor', 'toString', '__proto__', 'search'])('a call of a tool %s is one of an MCP tool', (tool) => {
  const [name, kind] = actionFor(tool, MCPToolAction.create({ data: {} }));
  expect(name).toBe('call_tool_mcp');
  expect(kind).toHaveProperty('write');
});
