import type { SubAgentTasks } from '../agent/sub-agent-tasks.ts';

/** Maximum length of a description in the list for the model, in UTF-16 units. */
const maxDescriptionLength = 1024;

/**
 * Returns the fields that tools share which start other agents. A call may be repeated with its key: another attempt
 * continues the same child conversations, whose own calls are never repeated silently.
 */
export function startsAgents(name: string) {
  return {
    name,
    annotations: {
      title: name,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    effect: 'idempotent',
  } as const;
}

/** Returns the list of sub-agents for the description of a tool: one line each. */
export function describeSubAgents({ agents }: SubAgentTasks): string {
  const lines = agents.map(({ name, description }) => {
    return `- ${name}: ${description.replaceAll(/\s+/g, ' ').trim().slice(0, maxDescriptionLength)}`;
  });
  return `Kinds of sub-agents:\n${lines.join('\n')}`;
}
