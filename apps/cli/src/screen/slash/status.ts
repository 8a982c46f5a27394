import type { SessionCommand } from '../session-command.ts';
import { usageText } from '../../wording/usage-text.ts';

/** Shows where the conversation is and in which state. */
export const status: SessionCommand = {
  name: 'status',
  description: 'shows the conversation, its directory and its state',
  run({ conversation, screen, io, options }) {
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
  },
};
