import type { SessionCommand } from '../session-command.ts';

const profiles = ['workspace', 'read-only', 'off'] as const;

/** Changes the walls around commands. */
export const sandbox: SessionCommand = {
  name: 'sandbox',
  argument: '[workspace|read-only|off]',
  description: 'changes the walls around commands',
  async run(session, argument) {
    const items = profiles.map((value) => ({ value, label: value }));
    const chosen = argument === '' ? await session.screen.choose({ title: 'Sandbox', items }) : argument;
    if (chosen === undefined) return;
    const profile = profiles.find((each) => each === chosen);
    if (profile) await session.reopen({ sandbox: profile });
    else session.screen.print(`It is one of ${profiles.join(', ')}.`, 'yellow');
  },
};
