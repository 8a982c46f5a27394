import { commandName } from '../command-name.ts';
import { shellWord } from '../shell-word.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Returns the command that resumes a conversation, as one line for a POSIX shell. Model, address, confirmation and
 * limits come from the log; only the store and the use of the signing key must be named again.
 */
export function resumeCommand(id: string, { store, sign }: Pick<RunOptions, 'store' | 'sign'>, io: TerminalIo): string {
  return `${commandName(io)} run --resume ${id}${store === undefined ? '' : ` --store ${shellWord(store)}`}${sign ? ' --sign' : ''}`;
}
