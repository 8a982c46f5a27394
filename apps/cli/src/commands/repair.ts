import type { ConversationRepair } from '@varve/agent/replay';
import { withoutUndefined } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { repairCommandFor } from '../conversations/repair-command-for.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { resolveId } from '../home/resolve-id.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import { eventNumber } from './option-values.ts';

interface RepairCommandOptions {
  readonly store?: string;
  readonly acceptUnsealed?: true;
  readonly from?: number;
  readonly takeOver?: true;
}

/** Ends a log that lost events before the loss, and accepts events that lost their seals. */
export const repairCommand: CliCommand = (parent, io) => {
  parent
    .command('repair')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .description('End a damaged log before its first missing event; later events go to quarantine.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--from <seq>', 'end the log before this event even if it can be read', eventNumber)
    .option('--accept-unsealed', 'accept events that have no seals, or lost them, as they are now')
    .option('--take-over', 'take the conversation from a process of another machine, or before a restart, that is gone')
    .action(async (id: string, { store: url, acceptUnsealed, from, takeOver }: RepairCommandOptions) => {
      await using store = await openExistingStore(io, url);
      // Loaded here, so that the help appears faster.
      const { repairConversation } = await import('@varve/agent/replay');
      await using log = await store.open(await resolveId(store, id), {
        purpose: 'repair',
        ...(takeOver && { takeOver }),
      });
      checkEnd(from, await log.head());
      const result = await repairConversation(
        log,
        await store.summary(log.id),
        withoutUndefined({ acceptUnsealed, from }),
      );
      for (const line of describe(result)) io.stdout.line(line);
      const { loss, cut } = result;
      if (loss && !cut) io.stderr.line(styled('dim', repairCommandFor(log.id, loss, io)));
    });
};

function checkEnd(from: number | undefined, head: number): void {
  if (from === undefined || from < head) return;
  throw new CliError(exitCodes.usage, `The log has ${eventCount(head)}, so it has no event ${from}.`);
}

function* describe({ loss, cut, resolved, accepted, malformed = 0, isHistory }: ConversationRepair): Generator<string> {
  if (loss) yield loss.message;
  if (cut) yield `The log ends before event ${cut.seq} now. Later events are in quarantine${placeOf(loss)}.`;
  if (isHistory) yield 'Its settings, approvals and open calls end there too: resume it with --model and --workspace.';
  for (const { seq, end } of resolved) yield `The loss of events ${seq} to ${end - 1}, found earlier, is accepted.`;
  for (const { seq, end } of accepted) yield `Events ${seq} to ${end - 1} are accepted as they are, and sealed.`;
  if (malformed > 0) yield `Unreadable records of the proof that are in quarantine now: ${malformed}.`;
  if (!loss && !cut && !isHistory && resolved.length + accepted.length + malformed === 0) yield 'Nothing to repair.';
}

function placeOf(loss: ConversationRepair['loss']): string {
  return loss ? `: ${loss.quarantine}` : '';
}
