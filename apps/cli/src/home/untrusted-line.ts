import type { UntrustedDirectory } from '@varve/settings/agent';
import type { ConfigurationScope } from '@varve/settings/trust';
import { commandName } from '../terminal/command-name.ts';
import { shellWord } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Returns the line about a directory whose configuration has no effect, with the next thing to do. */
export function untrustedLine({ directory, scope, status, details }: UntrustedDirectory, io: TerminalIo): string {
  if (status === 'refused') return `The configuration of ${directory} has no effect. ${details.join(' ')}`;
  const change = status === 'changed' ? 'changed since you trusted it' : 'is not trusted';
  return `The configuration of ${directory} ${change}, so without effect: ${details.join(', ')}. Review it: ${trustCommand(directory, scope, io)}`;
}

/** Returns the command that shows a configuration and asks about it, as one line for a POSIX shell. */
export function trustCommand(directory: string, scope: ConfigurationScope, io: TerminalIo): string {
  return `${commandName(io)} trust ${scope === 'user' ? '--user' : shellWord(directory)}`;
}
