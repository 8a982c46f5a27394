import { basename } from 'node:path';
import { nestedCommands } from './nested-commands.ts';
import { runsCode } from './programs/interpreters.ts';
import { limits } from './words/limits.ts';
import { isInert } from './programs/named-programs.ts';
import type { ShellWords } from './words/shell-word.ts';

/** Returns the names of the programs in a command: its own, and those that it may run through its arguments. */
export function programNames(words: ShellWords): readonly string[] {
  const [verb] = words;
  if (verb?.text === undefined) return [];
  const name = basename(verb.text);
  if (isInert(name)) return [name];
  const candidates = words.flatMap(({ text }, at) => (text !== undefined && runsCode(basename(text)) ? [at] : []));
  const readers = candidates.slice(0, limits.scripts).flatMap((at) => {
    const reader = basename(words[at]?.text ?? '');
    return readsInput(reader, words.slice(at + 1)) ? [reader] : [];
  });
  return runsCode(name) ? readers : [name, ...readers];
}

/** Reports whether an interpreter reads its code from its input: `python3 -m json.tool` does not. */
function readsInput(name: string, args: ShellWords): boolean {
  return nestedCommands(name, args, { items: [], hasInput: true, isNumber: () => true }).some(
    (one) => one.kind === 'unknown' && (one.unknown.kind === 'unknown.input' || one.unknown.kind === 'unknown.command'),
  );
}
