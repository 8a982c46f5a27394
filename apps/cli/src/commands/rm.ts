import type { EventStore, Summary } from '@varve/storage';
import { withoutUndefined } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { treeOf } from '../conversations/find-conversations.ts';
import { listingLines } from '../conversations/listing.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { resolveId } from '../home/resolve-id.ts';
import { confirms } from '../terminal/confirms.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { age, positiveInteger } from './option-values.ts';

interface RmOptions {
  readonly store?: string;
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly keep?: number;
  readonly yes?: true;
}

type Trees = readonly { readonly members: readonly Summary[]; readonly updatedAt: number }[];

/** Removes conversations with those of their sub-agents, after a question. */
export const rm: CliCommand = (parent, io, done) => {
  parent
    .command('rm')
    .argument('[ids...]', 'conversations, or the first characters of their ids')
    .description('Remove conversations with all of their events and those of their sub-agents.')
    .option('--older-than <age>', 'those that did not change for this time: 30d, 12h', age)
    .option('--keep <count>', 'all but the last that changed, this many', positiveInteger)
    .option('-y, --yes', 'remove without a question')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .action(async (ids: readonly string[], options: RmOptions) => {
      await using store = await openExistingStore(io, options.store);
      const trees = await treesOf(store, ids, options);
      done(await removeTrees(store, trees, options, io));
    });
};

async function treesOf(store: EventStore, ids: readonly string[], { olderThan, keep }: RmOptions): Promise<Trees> {
  const hasLimit = olderThan !== undefined || keep !== undefined;
  if (hasLimit === ids.length > 0) {
    throw new CliError(
      exitCodes.usage,
      'Name the conversations, or use --older-than or --keep.',
      '`varve ls` lists them.',
    );
  }
  if (hasLimit) {
    const { planRetention } = await import('@varve/storage/maintenance');
    return (await planRetention(store, withoutUndefined({ maxAgeMs: olderThan, maxCount: keep }))).remove;
  }
  const trees = [];
  for (const typed of ids) {
    const members = await treeOf(store, await resolveId(store, typed));
    trees.push({ members, updatedAt: Math.max(...members.map(({ updatedAt }) => updatedAt)) });
  }
  return trees;
}

async function removeTrees(store: EventStore, trees: Trees, { yes }: RmOptions, io: TerminalIo): Promise<ExitCode> {
  const members = trees.flatMap((tree) => tree.members);
  if (members.length === 0) {
    io.stderr.line('There is nothing to remove.');
    return exitCodes.ok;
  }
  if (!yes) {
    if (!io.stdin.isTTY) throw new CliError(exitCodes.usage, 'Removing needs a terminal, or --yes.');
    for (const line of listingLines(members, io, Date.now())) io.stderr.line(line);
    const count = members.length === 1 ? 'this conversation' : `these ${members.length} conversations`;
    if (!(await confirms(`Remove ${count} for ever?`, io))) return exitCodes.interrupted;
  }
  const { applyRetention } = await import('@varve/storage/maintenance');
  const remove = trees.map((tree) => ({ ...tree, reason: 'age' as const }));
  const { removed, skipped } = await applyRetention(store, { remove, kept: 0, failed: [] });
  io.stderr.line(`Removed ${removed.length === 1 ? '1 conversation' : `${removed.length} conversations`}.`);
  for (const [id = ''] of skipped) io.stderr.line(`${id} was not removed: another process uses it.`);
  return skipped.length > 0 ? exitCodes.storage : exitCodes.ok;
}
