import * as z from 'zod';
import { defineTool, type SharedTool } from '@varve/tools';

/** Agent to which another agent may hand over. */
export interface TransferTarget {
  readonly name: string;
  /** Description for the model: when to hand over to it. */
  readonly description: string;
}

/**
 * Returns the tool by which a model hands the task over to another agent. The call ends the run; what runs the agents
 * reads the control of the result and continues with the other one.
 *
 * @throws {TypeError} without targets.
 */
export function transferToAgent(targets: readonly TransferTarget[]): SharedTool {
  const [first, ...others] = targets.map(({ name }) => name);
  if (first === undefined) throw new TypeError('A transfer needs an agent to which it can go.');
  const list = targets.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, ' ').trim()}`);
  return defineTool({
    name: 'transfer_to_agent',
    description: `Hands the task over to another agent, which continues in your place and reads what happened so far. Use it when another agent is better suited for what is to be done next.\n${list.join('\n')}`,
    input: z.object({
      agent_name: z.enum([first, ...others]).describe('Name of the agent.'),
      reason: z.string().describe('What it is to do, and why it and not you.'),
    }),
    annotations: { title: 'transfer_to_agent', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    control: ({ agent_name: agent, reason }) => ({ kind: 'transfer', agent, reason }),
    execute: async ({ agent_name: agent }) => `The task is handed over to ${agent}.`,
  }) as SharedTool;
}

/** Returns the tool by which a model ends the loop that it is part of. The call ends the run. */
export function escalate(): SharedTool {
  return defineTool({
    name: 'escalate',
    description:
      'Ends the loop in which you work, because its goal is reached or cannot be reached. Without it you, or another agent, are asked again.',
    input: z.object({ reason: z.string().describe('The result, or why it cannot be reached.') }),
    annotations: { title: 'escalate', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    control: ({ reason }) => ({ kind: 'escalate', reason }),
    execute: async () => 'The loop ends.',
  }) as SharedTool;
}
