import { definePartKind } from '@varve/events/specs';
import type { Tool } from '@varve/tools';
import * as z from 'zod';
import type { ToolRegistry, ToolsContext } from '../agent/toolset.ts';
import { delegateTool } from './delegate-tool.ts';
import { taskTool } from './task-tool.ts';

/** Returns the tools that start sub-agents: `task` and `delegate`; none outside of a conversation. */
export function delegationTools({ delegation }: Pick<ToolsContext, 'delegation'>): readonly Tool[] {
  return delegation ? [taskTool(delegation), delegateTool(delegation)] : [];
}

/** Kinds of tools that start sub-agents, by the names that presets and the reference use. */
export const delegationKinds: ToolRegistry = [
  definePartKind({
    kind: 'task',
    aliases: ['task_tool_set', 'TaskToolSet', 'TaskTool'],
    options: () => z.object({}),
    create: (_options, { delegation }: ToolsContext): readonly Tool[] => (delegation ? [taskTool(delegation)] : []),
  }),
  definePartKind({
    kind: 'delegate',
    aliases: ['DelegateTool'],
    options: () => z.object({}),
    create: (_options, { delegation }: ToolsContext): readonly Tool[] => (delegation ? [delegateTool(delegation)] : []),
  }),
];
