import { confirmNames } from '../../opening/confirm-modes.ts';
import type { Session } from '../session.ts';
import type { SessionCommand } from '../session-command.ts';
import { runCaptured } from './captured.ts';

const effortKey = 'llm.reasoning_effort';

/** Commands that change how the agent works from the next message on. */
export const choiceCommands: readonly SessionCommand[] = [
  choiceCommand(['none', 'minimal', 'low', 'medium', 'high'], {
    name: 'effort',
    title: 'Reasoning effort',
    description: 'changes how much the model reasons',
    async choose(level, session) {
      const others = (session.options.set ?? []).filter((setting) => !setting.startsWith(`${effortKey}=`));
      await session.reopen({ set: [...others, `${effortKey}=${level}`] });
      session.screen.print(`The effort is now: ${level}`, 'dim');
    },
  }),
  {
    name: 'permissions',
    argument: `[${confirmNames.join('|')}]`,
    description: 'lists the rules for calls, or changes what is asked about',
    async run(session, argument) {
      const mode = confirmNames.find((each) => each === argument);
      if (mode) await session.setMode(mode);
      else if (argument === '') await runCaptured(['permissions'], session);
      else session.screen.print(`It is one of ${confirmNames.join(', ')}.`, 'yellow');
    },
  },
  {
    name: 'plan',
    argument: '[TASK]',
    description: 'only reading runs, and the agent answers with a plan; Shift-Tab leaves this mode',
    async run(session, task) {
      await session.setMode('plan');
      if (task !== '') await session.send(task);
    },
  },
  choiceCommand(['workspace', 'read-only', 'off'], {
    name: 'sandbox',
    title: 'Sandbox',
    description: 'changes the walls around commands',
    choose: async (sandbox, session) => session.reopen({ sandbox }),
  }),
];

interface Choice<Value extends string> extends Pick<SessionCommand, 'name' | 'description'> {
  readonly title: string;
  readonly choose: (value: Value, session: Session) => Promise<void>;
}

/** Creates a command for one of several values, which a person types or chooses. */
function choiceCommand<Value extends string>(
  values: readonly Value[],
  { name, description, title, choose }: Choice<Value>,
): SessionCommand {
  return {
    name,
    argument: `[${values.join('|')}]`,
    description,
    async run(session, argument) {
      const items = values.map((value) => ({ value, label: value }));
      const typed = argument === '' ? await session.screen.choose({ title, items }) : argument;
      const value = values.find((each) => each === typed);
      if (value !== undefined) await choose(value, session);
      else if (typed !== undefined) session.screen.print(`It is one of ${values.join(', ')}.`, 'yellow');
    },
  };
}
