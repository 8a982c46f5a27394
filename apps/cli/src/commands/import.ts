import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ForeignFiles, LogFormat } from '@varve/interop';
import type { Verdict } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fileProblem } from '../failures/file-problem.ts';
import { openConfiguredStore } from '../home/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { publicKeys } from './option-values.ts';

interface ImportCommandOptions {
  readonly store?: string;
  readonly format?: string;
  readonly trust: readonly string[];
}

/** Imports a conversation that `export` wrote, after verifying it, or the logs of another system. */
export const importCommand: CliCommand = (parent, io) => {
  parent
    .command('import')
    .argument('<file>', 'file written by `export`, or a log of another system; - for standard input')
    .description('Import an exported conversation after verifying it, or the log of another system.')
    .option('--format <name>', 'format of the file, such as v0; default: recognised')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option(
      '--trust <key>',
      'a trusted public key (did:key:z6Mk…) that must have signed the last event, or the events of agents of orxhestra; repeatable',
      publicKeys,
      [],
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const foreign = await foreignInput(file, options, io);
      if (!foreign) await importVarve(file, options, io);
      else {
        const { importForeign } = await import('../foreign/import-foreign.ts');
        await using store = await openConfiguredStore(io, options.store);
        await importForeign(foreign.files, { ...foreign, trusted: options.trust, store, io });
      }
    });
};

async function importVarve(file: string, { store: url, trust }: ImportCommandOptions, io: TerminalIo): Promise<void> {
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
}

/** Returns the files of another system with their format; undefined for a file of `export`. */
async function foreignInput(
  file: string,
  { format: name, trust }: ImportCommandOptions,
  io: TerminalIo,
): Promise<{ readonly files: ForeignFiles; readonly format: LogFormat } | undefined> {
  if (name === 'varve' || (file === '-' && name === undefined)) return undefined;
  // Loaded here, so that the help appears faster.
  const [{ formatNamed, formatNames }, { formatOf }] = await Promise.all([
    import('../foreign/find-format.ts'),
    import('@varve/interop'),
  ]);
  const named = name === undefined ? undefined : formatNamed(name, 'read');
  if (file === '-') throw new CliError(exitCodes.usage, 'Only a file of `varve export` is read from standard input.');
  const files = await foreignFilesAt(file, io);
  const format = named ?? (await formatOf(files));
  if (!format && (await isBundle(files))) return undefined;
  if (!format) {
    const hint = `The formats are: ${formatNames('read')}. Name one with --format.`;
    throw new CliError(exitCodes.usage, `The format of ${file} is not known.`, hint);
  }
  if (trust.length === 0 || format.hasSignatures) return { files, format };
  throw new CliError(exitCodes.usage, `${file} has no signatures: --trust is for files of \`varve export\`.`);
}

/** Returns whether a file begins as one of `varve export`; also an empty one, which the reader reports. */
async function isBundle(files: ForeignFiles): Promise<boolean> {
  const [path = ''] = files.paths;
  if (files.paths.length !== 1) return false;
  const start = (await files.start(path)).trimStart();
  return start === '' || /^\{[^\n]*"varve-bundle"/.test(start);
}

async function foreignFilesAt(file: string, io: TerminalIo): Promise<ForeignFiles> {
  const { filesAt } = await import('@varve/interop');
  try {
    return await filesAt(resolve(io.cwd, file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Checks the file before a store is created for it. */
async function checkFile(file: string, io: TerminalIo): Promise<void> {
  if (file === '-') return;
  try {
    const stats = await stat(resolve(io.cwd, file));
    if (!stats.isDirectory()) return;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new CliError(exitCodes.usage, `${file} is a directory, and not one of a known format.`);
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
