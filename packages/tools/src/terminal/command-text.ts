import { parse } from 'unbash';

/**
 * Splits a script into its top-level statements, in order: statements on the same line are one part, and so is a
 * statement of several lines. A script that cannot be parsed is one part, because the shell reports its errors best.
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
 * Returns true for a command that looks like a Python or JSON literal, as sent by a model that passes a list of
 * arguments instead of a command line. `[[ -f x ]]` and `{ ls; }` are shell syntax and not literals.
 */
export function looksLikeLiteral(command: string): boolean {
  return starts.test(command.trimStart());
}
