import { shellQuote } from '../processes/shell-environment.ts';

/**
 * Returns the arguments of a command with a list of words in `command` quoted as one line: models that were trained on
 * other tools write the words of a program, and the shell must receive exactly these.
 */
export function quoteWords(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { command } = fields;
  if (!Array.isArray(command) || command.length < 2) return fields;
  const words = (command as readonly unknown[]).filter((word) => typeof word === 'string');
  if (words.length < command.length || words.some((word) => word.includes('\0'))) return fields;
  return { ...fields, command: words.map(quoted).join(' ') };
}

function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : shellQuote(word);
}
