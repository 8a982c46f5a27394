import { InvalidArgumentError } from 'commander';
import type { Summary } from '@varve/storage';
import { commandName } from '../command-name.ts';
import type { CliCommand } from '../cli-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openConfiguredStore } from '../setup/open-configured-store.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

interface LsOptions {
  readonly store?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Lists the conversations of a store, the most recently updated first. */
export const ls: CliCommand = {
  register(parent, io, done) {
    parent
      .command('ls')
      .description('List conversations, the most recently updated first.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option('-n, --limit <count>', 'maximum number', positiveInteger, 20)
      .option('--json', 'one JSON object per line')
      .action(async (options: LsOptions) => {
        await using store = await openConfiguredStore(io, options.store);
        const { items, next } = await store.list({ limit: options.limit });
        for (const summary of items) {
          if (options.json) io.stdout.jsonLine(JSON.stringify(summary));
          else io.stdout.line(row(summary, io));
        }
        reportCount(io, items.length, next !== undefined && !options.json);
        done(exitCodes.ok);
      });
  },
};

/** Parses an integer of at least 1. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be an integer of at least 1.');
  return number;
}

function reportCount(io: TerminalIo, count: number, hasMore: boolean): void {
  if (count === 0) io.stderr.line(`There are no conversations yet. \`${commandName(io)} run "…"\` starts one.`);
  if (hasMore) io.stderr.line(`Showing ${count}; use -n for more.`);
}

/** Formats a conversation as one line: on a terminal with a short id and as much of the title as fits. */
function row({ id, updatedAt, head, meta }: Summary, { stdout }: TerminalIo): string {
  const { title = '', status = '' } = meta as { readonly title?: string; readonly status?: string };
  const shownStatus = status === 'waiting_for_confirmation' ? 'waiting' : status;
  const line = [
    stdout.isTTY ? id.slice(0, 12) : id,
    localTime(updatedAt),
    `${head} events`.padStart(11),
    shownStatus.padEnd(8),
    title.replaceAll(/\s+/g, ' '),
  ].join('  ');
  return (stdout.isTTY ? line.slice(0, stdout.columns - 1) : line).trimEnd();
}

function localTime(time: number): string {
  const date = new Date(time);
  const [month, day, hours, minutes] = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()].map(
    (value) => String(value).padStart(2, '0'),
  );
  return `${date.getFullYear()}-${month}-${day} ${hours}:${minutes}`;
}
