import type { CliCommand } from '../command-line/cli-command.ts';
import { age } from './option-values.ts';

/** Removes files of old conversations that no log needs. */
export const gc: CliCommand = (parent, io) => {
  parent
    .command('gc')
    .description('Remove undo histories and long outputs of conversations that did not change for 30 days.')
    .option('--older-than <age>', 'those that did not change for this time: 30d, 12h', age)
    .action(async ({ olderThan }: { readonly olderThan?: number }) => {
      const { pruneVarveHome } = await import('../home/prune-varve-home.ts');
      const count = await pruneVarveHome(io, olderThan === undefined ? {} : { maxAgeMs: olderThan });
      io.stderr.line(`Removed the files of ${count === 1 ? '1 directory' : `${count} directories`}.`);
    });
};
