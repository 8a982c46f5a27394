import { extname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createAtomically, errnoOf } from '@varve/files';
import type { LogFormat } from '@varve/interop';
import { type LogReader, type Summary, type Signer } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { eventCount } from '../conversations/formats.ts';
import { unfinishedImport } from '../conversations/unfinished-import.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fileProblem } from '../failures/file-problem.ts';
import { resolveId } from '../home/resolve-id.ts';
import { readSigningKey } from '../home/signing-key.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

interface ExportCommandOptions {
  readonly store?: string;
  readonly format?: string;
  readonly sign?: true;
}

/** Writes a conversation with its proof into one portable file, or in a format of another system. */
export const exportCommand: CliCommand = (parent, io) => {
  parent
    .command('export')
    .argument('<id>', 'the conversation, or the first characters of its id')
    .argument('<file>', 'a new file, or directory for formats of several files; - for standard output')
    .description('Write a conversation with its proof into one file for `import`, or in another format.')
    .option('--format <name>', 'format of the file, such as v0 (default: html for .html, markdown for .md, else varve)')
    .option('--sign', 'sign the events with the key of `varve key`, in formats that have signatures (orxhestra)')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .action(
      async (id: string, file: string, { store: url, format = formatOfFile(file), sign }: ExportCommandOptions) => {
        const foreign = await foreignFormat(format);
        const signer = sign && (await readSigningKey(io));
        if (sign && !foreign?.hasSignatures) throw unsignable(format);
        await using store = await openExistingStore(io, url);
        const full = await resolveId(store, id);
        const log = await store.read(full);
        const summary = await store.summary(full);
        const { isUnfinishedImport } = await import('@varve/agent/replay');
        if (isUnfinishedImport(summary.meta)) throw new CliError(exitCodes.storage, unfinishedImport(full));
        if (foreign) await writeForeign({ log, summary, format: foreign, signer }, file, io);
        else await writeLines(exportBundle(log, summary), file, io);
        const target = file === '-' ? 'standard output' : file;
        io.stderr.line(styled('dim', `Exported ${full} to ${target}: ${eventCount(await log.head())}.`));
      },
    );
};

// Formats are loaded in these functions, so that the help appears faster.

function formatOfFile(file: string): string {
  return { '.html': 'html', '.md': 'markdown' }[extname(file)] ?? 'varve';
}

async function foreignFormat(name: string): Promise<LogFormat | undefined> {
  if (name === 'varve') return undefined;
  const { formatNamed } = await import('../foreign/find-format.ts');
  return formatNamed(name, 'write');
}

interface ForeignExport {
  readonly log: LogReader;
  readonly summary: Summary;
  readonly format: LogFormat;
  readonly signer: Signer | undefined;
}

function unsignable(format: string): CliError {
  return new CliError(exitCodes.usage, `An export in the format ${format} has no signatures of its own.`);
}

async function writeForeign(
  { log, summary, format, signer }: ForeignExport,
  file: string,
  io: TerminalIo,
): Promise<void> {
  const { foreignFiles, textOfExport, writeDirectory } = await import('../foreign/export-foreign.ts');
  const files = await foreignFiles(log, summary, { format, io, signer });
  const text = textOfExport(files, file);
  if (text !== undefined) return writeLines(Readable.from(text.split(/(?<=\n)/)), file, io);
  try {
    await writeDirectory(files, resolve(io.cwd, file));
  } catch (error) {
    throw unwritable(file, error);
  }
}

async function writeLines(lines: AsyncIterable<string>, file: string, io: TerminalIo): Promise<void> {
  if (file === '-') await io.stdout.all(lines, 'exactLine');
  else
    await createAtomically(resolve(io.cwd, file), lines, { mode: 0o600 }).catch((error: unknown) => {
      throw unwritable(file, error);
    });
}

/** Describes why a target cannot be written. Rethrows an error that is not of the system. */
function unwritable(file: string, error: unknown): CliError {
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
  const hint = isFull ? 'Free disk space.' : 'Name a new file.';
  return new CliError(exitCodes.usage, fileProblem(file, 'written', error), hint);
}
