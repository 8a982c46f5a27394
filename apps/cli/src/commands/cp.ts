import { openStore } from '@varve/storage';
import type { CliCommand } from '../command-line/cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { openExistingStore, storeUrl } from '../home/open-configured-store.ts';
import { resolveId } from '../home/resolve-id.ts';
import { schemesOf } from '../home/schemes.ts';
import { styled } from '../terminal/output.ts';

/** Copies conversations to another store. */
export const cp: CliCommand = (parent, io) => {
  parent
    .command('cp')
    .argument('<url>', 'the other store: sqlite:FILE, dir:PATH or postgres://…')
    .argument('<ids...>', 'conversations, or the first characters of their ids')
    .description('Copy conversations with their proof to another store, under their ids.')
    .option('--store <url>', 'the store that they are in')
    .action(async (url: string, ids: readonly string[], options: { readonly store?: string }) => {
      // Loaded here, so that the help appears faster.
      const { copyLog } = await import('@varve/storage/maintenance');
      await using source = await openExistingStore(io, options.store);
      await using target = await openStore(await storeUrl(io, url), schemesOf(io.env));
      for (const typed of ids) {
        const id = await resolveId(source, typed);
        const log = await source.read(id);
        const { meta, owner } = await source.summary(id);
        await copyLog(log, target, { meta, owner });
        io.stderr.line(styled('dim', `Copied ${id}: ${eventCount(await log.head())}.`));
      }
    });
};
