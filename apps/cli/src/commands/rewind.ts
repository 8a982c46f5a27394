import type { Conversation } from '@varve/agent';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Goes back in a conversation: the next event follows an earlier one. */
export const rewind: CliCommand = (parent, io, done) => {
  parent
    .command('rewind')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('<event>', 'id of the event that stays the last one, its first characters, or start')
    .description('Go back to an event: later ones stay in the log, on a branch of their own.')
    .option('--chat', 'go back in the conversation, and leave the files as they are (default)')
    .option('--files', 'set the files that calls changed back, and stay in the conversation')
    .option('--both', 'go back in the conversation and with the files')
    .option('--dry-run', 'print what would be done with files, and change nothing')
    .option('--overwrite <path...>', 'files to set back although something else changed them since')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--sign', 'sign the new events with the key that `varve key` created')
    .action(async (id: string, event: string, options: RewindCommandOptions) => {
      const { withStored } = await import('../print/with-stored.ts');
      await withStored(id, options, io, async (conversation) => {
        const eventId = event === 'start' ? undefined : await eventIn(conversation, event);
        if (options.files !== true && options.both !== true && options.dryRun !== true) {
          await conversation.navigate(eventId);
          return;
        }
        const { printRewind } = await import('../print/print-rewind.ts');
        done(await printRewind(conversation, eventId, options, io));
      });
    });
};

interface RewindCommandOptions extends Pick<RunOptions, 'store' | 'sign'> {
  readonly files?: boolean;
  readonly both?: boolean;
  readonly dryRun?: boolean;
  readonly overwrite?: readonly string[];
}

async function eventIn(conversation: Conversation, typed: string): Promise<string> {
  const found: string[] = [];
  for await (const { event } of conversation.events()) if (event.id.startsWith(typed)) found.push(event.id);
  const [id] = found;
  if (id === undefined) {
    const hint = '`varve show ID --full` shows the ids of events.';
    throw new CliError(exitCodes.usage, `No event of the conversation matches "${typed}".`, hint);
  }
  if (found.length === 1 || found.includes(typed)) return found.length === 1 ? id : typed;
  throw new CliError(exitCodes.usage, `"${typed}" matches ${found.length} events.`, 'Type more of the id.');
}
