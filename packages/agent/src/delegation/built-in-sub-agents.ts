import { toolPresets } from '@varve/tools';
import { derivedAgent } from './derived-agent.ts';
import type { SubAgent } from '../agent/agent.ts';

/** Instructions of every sub-agent. */
export const report = `You are a sub-agent: another agent gave you a part of its task, and reads only your final message. You cannot ask it anything, and you see nothing of its conversation. Do exactly the task in the message, then finish with a message that contains everything it needs: results, names of files with lines, commands and their outcomes, and what you could not do.`;

/**
 * Sub-agents of this package; the first is the default. They use the model, the policies and the workspace of their
 * parent.
 */
export const builtinSubAgents: readonly SubAgent[] = [
  {
    name: 'general-purpose',
    aliases: ['default', 'default cli mode'],
    description: 'Does any part of a task that can be described in one message, with all tools but this one.',
    create: (parent, context) => derivedAgent(parent, { instructions: report }, context),
  },
  {
    name: 'code-explorer',
    aliases: ['explore'],
    description: 'Finds and reads code and answers questions about it. It changes no file.',
    create: (parent, context) =>
      derivedAgent(
        parent,
        {
          instructions: `${report}\nRead only: report what you find, with the names of files and lines.`,
          toolNames: toolPresets.planning,
        },
        context,
      ),
  },
  {
    name: 'bash-runner',
    aliases: ['bash'],
    description: 'Runs commands, such as builds and tests with long output, and reports what matters of it.',
    create: (parent, context) =>
      derivedAgent(
        parent,
        { instructions: `${report}\nRun the commands of the task and report their outcomes.`, toolNames: ['terminal'] },
        context,
      ),
  },
];
