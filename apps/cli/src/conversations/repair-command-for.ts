import type { LogLoss } from '@varve/storage';
import { commandName } from '../terminal/command-name.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/**
 * Returns the sentence that names the command to repair a loss. An unreadable event inside of the log is removed with
 * all later ones only if its seq is given.
 */
export function repairCommandFor(id: string, { seq, end, reason, kept }: LogLoss, io: TerminalIo): string {
  const isInside = reason === 'unreadable' && seq + kept < end;
  const option = isInside ? ` --from ${seq}` : '';
  return `\`${commandName(io)} repair ${id}${option}\` ends the log before event ${seq} and moves later ones to quarantine.`;
}
