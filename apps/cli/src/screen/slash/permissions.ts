import { confirmNames } from '../../opening/confirm-modes.ts';
import type { SessionCommand } from '../session-command.ts';
import { runCaptured } from './captured.ts';

/** Shows the rules for calls, or changes what is asked about. */
export const permissions: SessionCommand = {
  name: 'permissions',
  argument: `[${confirmNames.join('|')}]`,
  description: 'lists the rules for calls, or changes what is asked about',
  async run(session, argument) {
    const mode = confirmNames.find((each) => each === argument);
    if (mode) await session.setMode(mode);
    else if (argument === '') await runCaptured(['permissions'], session);
    else session.screen.print(`It is one of ${confirmNames.join(', ')}.`, 'yellow');
  },
};
