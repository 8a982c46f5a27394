import type { SessionCommand } from '../session-command.ts';
import { usageText } from '../../wording/usage-text.ts';

/** Shows tokens and cost, in total and by what used them. */
export const cost: SessionCommand = {
  name: 'cost',
  description: 'shows tokens and cost, in total and by use',
  run({ conversation, screen }) {
    if (!conversation) {
      screen.print('Nothing was used yet.');
      return;
    }
    const { total, byUsageId } = conversation.state.stats;
    const rows = [['total', total] as const, ...Object.entries(byUsageId)];
    const width = Math.max(...rows.map(([name]) => name.length)) + 2;
    screen.print(rows.map(([name, usage]) => `${name.padEnd(width)}${usageText(usage)}`).join('\n'));
  },
};
