import type { PathContext } from './words/paths.ts';
import type { ShellWord } from './words/shell-word.ts';

/** A simple command anywhere in a script, also inside another command: `rm` in `sudo xargs rm`. */
export interface ShellCommand {
  /** Program name without its directory; empty for redirections without a program. */
  readonly name: string;
  /** The program as it is written, if that is a path. */
  readonly file?: string;
  /** Arguments as the program receives them; what is only known when the command runs is left in its own syntax. */
  readonly args: readonly string[];
  /** Arguments that are only known when the command runs. */
  readonly unseenArgs: readonly ShellWord[];
  /** Known arguments with wildcards that the program gets, because they are quoted. */
  readonly quotedArgs: readonly string[];
  /** Files to which its output or errors are redirected. */
  readonly writes: readonly string[];
  /** Files from which it reads its input. */
  readonly reads: readonly string[];
  /** Texts that it reads, as far as the script contains them: here-documents, and words of the commands before it. */
  readonly inputs: readonly string[];
  /** Names of the commands that read its output. */
  readonly feeds: readonly string[];
  /** True for arguments of a program that may run them: `rm` in `some-wrapper rm`. */
  readonly isPossible: boolean;
  /** Directories in which it may run. */
  readonly paths: PathContext;
}

/** Returns a test for the names of programs. */
export function hasName(...names: readonly string[]): (command: Pick<ShellCommand, 'name'>) => boolean {
  const set = new Set(names);
  return ({ name }) => set.has(name);
}
