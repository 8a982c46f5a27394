import { repair, type RepairResult } from '@varve/storage/maintenance';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveId } from '../setup/resolve-id.ts';
import { openExistingStore } from '../setup/open-configured-store.ts';

interface RepairCommandOptions {
  readonly store?: string;
  readonly acceptUnsealed?: true;
}

/** Ends a log that lost events before the loss, and accepts events that lost their seals. */
export const repairCommand: CliCommand = {
  register(parent, io, done) {
    parent
      .command('repair')
      .argument('<id>', 'the conversation, or the first characters of its id')
      .description('End a damaged log before its first missing event; later events go to quarantine.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option('--accept-unsealed', 'accept events that have no seals, or lost them, as they are now')
      .action(async (id: string, { store: url, acceptUnsealed }: RepairCommandOptions) => {
        await using store = await openExistingStore(io, url);
        await using log = await store.open(await resolveId(store, id), { purpose: 'repair' });
        const result = await repair(log, { ...(acceptUnsealed && { acceptUnsealed }) });
        for (const line of describe(result)) io.stdout.line(line);
        done(exitCodes.ok);
      });
  },
};

function* describe({ loss, cut, resolved, accepted }: RepairResult): Generator<string> {
  if (loss) yield loss.message;
  if (cut) yield `The log ends before event ${cut.seq} now. Later events are in quarantine${placeOf(loss)}.`;
  for (const { seq, end } of resolved) yield `The loss of events ${seq} to ${end - 1}, found earlier, is accepted.`;
  for (const { seq, end } of accepted) yield `Events ${seq} to ${end - 1} are accepted as they are, and sealed.`;
  if (!loss && !cut && resolved.length === 0 && accepted.length === 0) yield 'Nothing to repair.';
}

function placeOf(loss: RepairResult['loss']): string {
  return loss ? `: ${loss.quarantine}` : '';
}
