import { parse } from 'unbash';

/**
 * What a script does one after the other, from the top level and in order: statements that share a line are one part, and so
 * are those that go over several. A script that cannot be read is one part, since the shell says best what is wrong with it.
 */
export function statementLines(script: string): readonly string[] {
  const { commands, errors = [] } = parse(script);
  if (errors.length > 0) return [script];
  const starts = commands.flatMap(({ pos }, index) => {
    const between = script.slice(commands[index - 1]?.end ?? 0, pos).replaceAll('\\\n', '');
    return index === 0 || between.includes('\n') ? [pos] : [];
  });
  return starts.map((start, index) => script.slice(start, starts[index + 1]).trim());
}

const starts = /^(?:\[\{|\["|\['|\[\[\S|\{"|\{')/;

/**
 * Whether a command looks like a Python or JSON literal: a model that hands over a list of arguments instead of a
 * command line. `[[ -f x ]]` and `{ ls; }` are shell syntax and pass.
 */
export function looksLikeLiteral(command: string): boolean {
  return starts.test(command.trimStart());
}
