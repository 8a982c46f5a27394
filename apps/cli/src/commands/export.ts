import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportBundle } from '@varve/storage/maintenance';
import { CliError } from '../cli-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileProblem } from '../file-problem.ts';
import { resolveId } from '../setup/resolve-id.ts';
import { openExistingStore } from '../setup/open-configured-store.ts';
import { styled } from '../terminal/output.ts';

/** Writes a conversation with its proof into one portable file. */
export const exportCommand: CliCommand = {
  register(parent, io, done) {
    parent
      .command('export')
      .argument('<id>', 'the conversation, or the first characters of its id')
      .argument('<file>', 'a new file; - for standard output')
      .description('Write a conversation with its proof into one file for `import`.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .action(async (id: string, file: string, { store: url }: { readonly store?: string }) => {
        await using store = await openExistingStore(io, url);
        const full = await resolveId(store, id);
        const log = await store.read(full);
        const lines = exportBundle(log, await store.summary(full));
        if (file === '-') await io.stdout.exactLines(lines);
        else await write(lines, file, resolve(io.cwd, file));
        const target = file === '-' ? 'standard output' : file;
        io.stderr.line(styled('dim', `Exported ${full} to ${target}: ${eventCount(await log.head())}.`));
        done(exitCodes.ok);
      });
  },
};

async function write(lines: AsyncIterable<string>, file: string, path: string): Promise<void> {
  try {
    // Logs contain private conversations: only the owner may read them.
    await pipeline(Readable.from(lines), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new CliError(exitCodes.usage, fileProblem(file, 'written', error), 'Name a new file.');
  }
}
