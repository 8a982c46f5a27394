import type { Replacement } from './private-environment.ts';

/** Variable that has the meaning of the option `--key` of `serve`. */
const variable = 'VARVE_SESSION_API_KEY';

/**
 * Returns the arguments of `serve` without its key, and the key as a variable: the agent's programs can read the
 * arguments of the process. Arguments that only print the settings stay, because they report where the key is from.
 */
export function privateArguments(args: readonly string[]): Pick<Replacement, 'args' | 'variables'> {
  if (args.includes('--print-config')) return {};
  const kept: string[] = [];
  let key: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    if (argument === '--key' && at + 1 < args.length) key = args[(at += 1)];
    else if (argument.startsWith('--key=')) key = argument.slice('--key='.length);
    else kept.push(argument);
  }
  // An empty key is for the command to reject.
  return key ? { args: kept, variables: { [variable]: key } } : {};
}
