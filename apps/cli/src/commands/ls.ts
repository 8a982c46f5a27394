import type { Json } from '@varve/events';
import type { EventStore, Summary } from '@varve/storage';
import { commandName } from '../terminal/command-name.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { pathIn } from '../home/varve-home.ts';
import { findConversations } from '../conversations/find-conversations.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { listingLines } from '../conversations/listing.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { positiveInteger } from './option-values.ts';

interface LsOptions {
  readonly store?: string;
  readonly limit: number;
  readonly json?: true;
  readonly search?: string;
  readonly workspace?: string;
}

/** Lists the conversations of a store, the most recently updated first. */
export const ls: CliCommand = (parent, io) => {
  parent
    .command('ls')
    .description('List conversations, the most recently updated first.')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('-n, --limit <count>', 'maximum number', positiveInteger, 20)
    .option('--search <text>', 'those with this text in the title, the directory, the model or the id')
    .option('-w, --workspace <dir>', 'those of this directory and the ones in it')
    .option('--json', 'one JSON object per line')
    .action(async (options: LsOptions) => {
      await using store = await openExistingStore(io, options.store);
      const workspace = options.workspace === undefined ? undefined : pathIn(io, options.workspace);
      const { items, hasMore } = await findConversations(store, { ...options, workspace });
      print(io, options.json ? items : await Promise.all(items.map((item) => withUsage(item, store))), options);
      if (hasMore && !options.json) io.stderr.line(`Showing ${items.length}; use -n for more.`);
    });
};

/** Adds the usage of a conversation that was not closed: that of a closed one is stored next to its log. */
async function withUsage(summary: Summary, store: EventStore): Promise<Summary> {
  const { status, hasUsage } = metaFields(summary.meta);
  if (hasUsage || (status !== 'running' && status !== 'waiting_for_confirmation')) return summary;
  const { readState } = await import('@varve/agent');
  const { stats } = await readState(await store.read(summary.id));
  const usage = Object.fromEntries(Object.entries(stats.byUsageId).map(([id, used]) => [id, { ...used }]));
  return { ...summary, meta: { ...(summary.meta as Readonly<Record<string, Json>>), usage } };
}

function print(io: TerminalIo, items: readonly Summary[], options: LsOptions): void {
  const { json: asJson, search, workspace } = options;
  const filters = [
    ...(search === undefined ? [] : [`--search ${search}`]),
    ...(workspace === undefined ? [] : [`-w ${workspace}`]),
  ];
  if (items.length === 0 && filters.length > 0) io.stderr.line(`No conversation matches ${filters.join(' ')}.`);
  else if (items.length === 0)
    io.stderr.line(`There are no conversations yet. \`${commandName(io)} run "…"\` starts one.`);
  if (asJson) for (const summary of items) io.stdout.jsonLine(JSON.stringify(summary));
  else for (const line of listingLines(items, io, Date.now())) io.stdout.line(line);
}
