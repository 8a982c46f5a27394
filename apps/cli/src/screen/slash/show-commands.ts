import { gitRepository } from '@varve/tools/workspace';
import { usageText } from '../../wording/usage-text.ts';
import type { Session } from '../session.ts';
import type { SessionCommand } from '../session-command.ts';
import { runCaptured, storedId } from './captured.ts';

/** Commands that show something. */
export const showCommands: readonly SessionCommand[] = [
  {
    name: 'context',
    description: 'shows how many tokens each part of the next request takes',
    run: async (session) => runOnStored('context', session),
  },
  {
    name: 'sessions',
    argument: '[TEXT]',
    description: 'lists the conversations, or those with a text',
    run: async (session, text) => runCaptured(['ls', ...(text === '' ? [] : ['--search', text])], session),
  },
  {
    name: 'history',
    description: 'shows the whole conversation',
    run: async (session) => runOnStored('show', session),
  },
  {
    name: 'status',
    description: 'shows the conversation, its directory and its state',
    run: showStatus,
  },
  {
    name: 'diff',
    description: 'shows what differs from the last commit; the agent does not see it',
    // Without programs of the repository, which the agent may have made.
    async run({ shell, workspace }) {
      const { git } = await gitRepository(workspace);
      const status = await git('status', '--short');
      const changes = await git('diff', '--no-ext-diff', '--no-textconv', 'HEAD');
      const problem = changes.exitCode === 0 ? undefined : changes.message;
      shell.show('git diff HEAD', { output: `${status.output.toString()}${changes.output.toString()}`, problem });
    },
  },
  {
    name: 'cost',
    description: 'shows what tokens and money were used for, and what broke the cache',
    run: async (session) => runOnStored('cost', session),
  },
  {
    name: 'mcp',
    description: 'lists the servers of tools',
    run: async (session) => runCaptured(['mcp'], session),
  },
  {
    name: 'skills',
    description: 'lists instructions, skills, hooks and servers that files add',
    run: async (session) => runCaptured(['config', 'context'], session),
  },
  {
    name: 'agents',
    description: 'lists the sub-agents, and the tasks that they had',
    async run(session) {
      const { delegation } = await session.opened();
      const { screen } = session;
      if (delegation.agents.length === 0) screen.print('The agent has no sub-agents.');
      for (const { name, description } of delegation.agents) {
        screen.print(name, 'bold');
        screen.print(`  ${description.split('\n', 1)[0] ?? ''}`);
      }
      for (const { taskId, subAgent, conversationId, description = '' } of delegation.tasks) {
        screen.print(`${taskId} · ${subAgent} · ${conversationId.slice(0, 8)} · ${description}`, 'dim');
      }
    },
  },
];

async function runOnStored(command: string, session: Session): Promise<void> {
  const id = storedId(session);
  if (id !== undefined) await runCaptured([command, id], session);
}

function showStatus({ conversation, screen, io, options }: Session): void {
  if (!conversation) {
    screen.print(`A new conversation in ${options.workspace ?? io.cwd}. Nothing is stored yet.`);
    return;
  }
  const { state, id, workspace } = conversation;
  const rows = [
    ['conversation', id],
    ['title', state.title ?? ''],
    ['directory', workspace],
    ['status', state.status],
    ['events', String(state.head)],
    ['waiting calls', String(state.pending.length)],
    ['usage', usageText(state.stats.total)],
  ];
  screen.print(rows.map(([name = '', value]) => `${name.padEnd(14)}${value}`).join('\n'));
}
