import type { SessionCommand } from '../session-command.ts';

const key = 'llm.reasoning_effort';
const levels = ['none', 'minimal', 'low', 'medium', 'high'] as const;

/** Changes how much the model reasons from the next message on. */
export const effort: SessionCommand = {
  name: 'effort',
  argument: `[${levels.join('|')}]`,
  description: 'changes how much the model reasons',
  async run(session, argument) {
    const items = levels.map((value) => ({ value, label: value }));
    const chosen = argument === '' ? await session.screen.choose({ title: 'Reasoning effort', items }) : argument;
    if (chosen === undefined) return;
    const level = levels.find((each) => each === chosen);
    if (!level) return session.screen.print(`It is one of ${levels.join(', ')}.`, 'yellow');
    const others = (session.options.set ?? []).filter((setting) => !setting.startsWith(`${key}=`));
    await session.reopen({ set: [...others, `${key}=${level}`] });
    session.screen.print(`The effort is now: ${level}`, 'dim');
  },
};
