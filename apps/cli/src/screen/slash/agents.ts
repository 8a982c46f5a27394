import type { SessionCommand } from '../session-command.ts';

/** Lists the sub-agents, and those that worked for the conversation. */
export const agents: SessionCommand = {
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
};
