import { shellWord } from '@varve/text';
import { withoutHabits } from '../contract/habits.ts';

const habits = {
  names: { cmd: 'command', script: 'command', is_background: 'run_in_background' },
  ignored: ['description', 'explanation', 'reason', 'justification', 'requires_approval'],
};

/** Returns the arguments of a command that a model wrote as for another tool: with other names, as a list of words. */
export function repairCommand(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { run_in_background: background, ...call } = quoteWords(withoutHabits(fields, habits));
  const { command } = call;
  if (background === true && typeof command === 'string' && call['is_input'] !== true)
    return { ...call, command: `{\n${command}\n} &` };
  return background === false || background === undefined ? call : fields;
}

/**
 * Returns the arguments of a command with a list of words in `command` quoted as one line: models that were trained on
 * other tools write the words of a program, and the shell must receive exactly these.
 */
function quoteWords(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { command } = fields;
  if (!Array.isArray(command) || command.length < 2) return fields;
  const words = (command as readonly unknown[]).filter((word) => typeof word === 'string');
  if (words.length < command.length || words.some((word) => word.includes('\0'))) return fields;
  return { ...fields, command: words.map(shellWord).join(' ') };
}
