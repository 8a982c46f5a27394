import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Verdict } from '@varve/storage/proof';
import { CliError } from '../cli-error.ts';
import type { CliCommand } from '../cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileProblem } from '../file-problem.ts';
import { openConfiguredStore } from '../setup/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { publicKeys } from './option-values.ts';

interface ImportCommandOptions {
  readonly store?: string;
  readonly trust: readonly string[];
}

/** Imports a conversation that `export` wrote, after verifying it. */
export const importCommand: CliCommand = {
  register(parent, io, done) {
    parent
      .command('import')
      .argument('<file>', 'file written by `export`; - for standard input')
      .description('Import an exported conversation under its original id after verifying it.')
      .option('--store <url>', 'the store, for instance sqlite:FILE')
      .option(
        '--trust <key>',
        'a trusted public key (did:key:z6Mk…) that must have signed the last event; repeatable',
        publicKeys,
        [],
      )
      .action(async (file: string, { store: url, trust }: ImportCommandOptions) => {
        await checkFile(file, io);
        // Loaded here, so that the help appears faster.
        const { Conversation } = await import('@varve/agent');
        await using store = await openConfiguredStore(io, url);
        const { id, verdict, openCalls } = await Conversation.import(chunksOf(file, io), {
          store,
          ...(trust.length > 0 && { trusted: trust }),
        });
        if (verdict) {
          const source = file === '-' ? 'standard input' : file;
          io.stderr.line(styled('dim', `Imported ${source}: ${receipt(verdict)}.`));
        }
        if (openCalls > 0) io.stderr.line(`${openCalls} of its calls had no result yet; they do not run here.`);
        io.stdout.line(id);
        done(exitCodes.ok);
      });
  },
};

/** Checks the file before a store is created for it. */
async function checkFile(file: string, io: TerminalIo): Promise<void> {
  if (file === '-') return;
  try {
    const found = await stat(resolve(io.cwd, file));
    if (!found.isDirectory()) return;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new CliError(exitCodes.usage, `${file} is a directory and not a file written by \`varve export\`.`);
}

async function* chunksOf(file: string, io: TerminalIo): AsyncGenerator<Uint8Array> {
  try {
    yield* file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): CliError {
  return new CliError(exitCodes.usage, fileProblem(file, 'read', error));
}

/** Describes what was imported: events without seals are sealed by the import, which proves nothing about them. */
function receipt({ head, unsealed }: Verdict): string {
  const imported = unsealed.filter(({ cause }) => cause === 'imported');
  const without = imported.reduce((sum, { seq, end }) => sum + end - seq, 0);
  return `${eventCount(head)}, ${head - without} of them with seals`;
}
