import { defineTool, type SharedTool } from '@varve/tools';
import * as z from 'zod';
import type { Agent, SubAgent } from '../agent/agent.ts';
import type { ToolMaker } from '../agent/toolset.ts';
import { AgentError } from '../error.ts';
import { startsAgents } from '../delegation-tools/delegating-tools.ts';
import { Delegation } from './delegation.ts';

/** An agent that another one calls as a tool. */
export interface AgentAsTool extends Pick<SubAgent, 'name' | 'description' | 'limits'> {
  readonly agent: Agent;
}

/**
 * Returns a tool that gives a task to an agent and returns its answer: `tools: [subAgent(reviewer)]`. Each call is a
 * child conversation, which inherits the policies that its agent does not set, and shares the budget.
 */
export function subAgent({ agent, ...kind }: AgentAsTool): ToolMaker {
  return ({ delegation }): SharedTool =>
    defineTool({
      ...startsAgents(kind.name),
      description: `${kind.description} It sees nothing of this conversation and cannot ask.`,
      input: z.object({ prompt: z.string().min(1).describe('The task, with everything that is needed for it.') }),
      execute: async ({ prompt }, call) => {
        if (!(delegation instanceof Delegation))
          throw new AgentError('invalid', `The agent ${kind.name} was called outside of a conversation.`);
        const taskId = `${kind.name}_${call.actionId ?? call.idempotencyKey}`;
        const step = { taskId, subAgent: { ...kind, create: () => agent }, prompt, tools: [] };
        const { isCompleted, text } = await delegation.runStep(step, call);
        return isCompleted ? text : `${kind.name} did not complete its task: ${text}`;
      },
    });
}
