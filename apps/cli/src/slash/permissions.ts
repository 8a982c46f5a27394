import type { SessionCommand } from '../session/session-command.ts';
import { runCaptured } from './captured.ts';

const modes = ['ask', 'auto', 'never'] as const;

/** Shows the rules for calls, or changes what is asked about. */
export const permissions: SessionCommand = {
  name: 'permissions',
  argument: '[ask|auto|never]',
  description: 'lists the rules for calls, or changes what is asked about',
  async run(session, argument) {
    const mode = modes.find((each) => each === argument);
    if (mode) await session.reopen({ confirm: mode });
    else if (argument === '') await runCaptured(['permissions'], session);
    else session.screen.print(`It is one of ${modes.join(', ')}.`, 'yellow');
  },
};
