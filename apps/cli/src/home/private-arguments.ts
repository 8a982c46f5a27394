import { withoutPassword } from '@varve/text';
import type { Replacement } from './private-environment.ts';

/** Options whose values may be secret, with the variables that have their meaning. */
const options: Readonly<Record<string, { readonly variable: string; readonly isSecret: (value: string) => boolean }>> =
  {
    // An empty key is for the command to reject.
    '--key': { variable: 'VARVE_SESSION_API_KEY', isSecret: (key) => key !== '' },
    '--store': { variable: 'VARVE_STORE', isSecret: (url) => withoutPassword(url) !== url },
  };

/**
 * Returns the arguments without the key of `serve` and the password of a store's URL, and both as variables: the
 * agent's programs can read the arguments of the process. Arguments that only print the settings stay, because they
 * report where the key is from.
 */
export function privateArguments(args: readonly string[]): Pick<Replacement, 'args' | 'variables'> {
  if (args.includes('--print-config')) return {};
  const kept: string[] = [];
  const variables: Record<string, string> = {};
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    const [, name = argument, attached] = /^(--\w+)=(.*)$/s.exec(argument) ?? [];
    const value = attached ?? args[at + 1];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const isPrivate = option && value !== undefined && option.isSecret(value);
    if (isPrivate) variables[option.variable] = value;
    else kept.push(argument);
    if (isPrivate && attached === undefined) at += 1;
  }
  return Object.keys(variables).length > 0 ? { args: kept, variables } : {};
}
