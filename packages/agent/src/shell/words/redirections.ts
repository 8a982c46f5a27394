import type { Redirection } from 'unbash';
import { valuesOfWord, type Lookup } from './words.ts';

/** Reports whether a redirection replaces the input of a command. */
export function isInput(one: Redirection): boolean {
  return one.type !== 'Redirect' || one.operator.startsWith('<');
}

/**
 * Reports whether bash runs substitutions in the name of a file: it expands what follows `>&` once more after its
 * quotes and variables, `echo x >& '$(rm -rf y)'`. Files that match a pattern may have such names.
 */
export function expandsAgain(one: Redirection, lookup: Lookup): boolean {
  if (one.type !== 'Redirect' || one.operator !== '>&' || !one.target) return false;
  return valuesOfWord(one.target, lookup)?.some((value) => /[$`*?[]/.test(value)) ?? true;
}
