const starts = /^(?:\[\{|\["|\['|\[\[\S|\{"|\{')/;

/**
 * Whether a command looks like a Python or JSON literal: a model that hands over a list of arguments instead of a
 * command line. `[[ -f x ]]` and `{ ls; }` are shell syntax and pass.
 */
export function looksLikeLiteral(command: string): boolean {
  return starts.test(command.trimStart());
}
