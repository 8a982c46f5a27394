import { commandName } from '../terminal/command-name.ts';
import { shellWord } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Returns the command that resumes a conversation, as one line for a POSIX shell. Model, address, confirmation and
 * limits come from the log; the store, the use of the signing key, and the server that LLM_API_KEY is for must be named
 * again.
 */
export function resumeCommand(
  id: string,
  { store, sign, baseUrl, goal }: Pick<RunOptions, 'store' | 'sign' | 'baseUrl' | 'goal'>,
  io: TerminalIo,
): string {
  const options = [
    ...(store === undefined ? [] : ['--store', shellWord(store)]),
    ...(sign ? ['--sign'] : []),
    ...(goal ? ['--goal'] : []),
    ...(baseUrl === undefined || !io.env['LLM_API_KEY'] ? [] : ['--base-url', shellWord(baseUrl)]),
  ];
  return [commandName(io), 'run', '--resume', id, ...options].join(' ');
}

/** Returns the sentence that names the command with which a person accepts events without seals, as in old logs. */
export function acceptCommandFor(id: string, store: string | undefined, io: TerminalIo): string {
  const place = store === undefined ? '' : ` --store ${shellWord(store)}`;
  return `\`${commandName(io)} repair ${id} --accept-unsealed${place}\` accepts them as they are, also in a log of an early version.`;
}
