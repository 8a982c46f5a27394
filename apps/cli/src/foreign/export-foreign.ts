import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertMissing, createAtomically, makeDirectories, syncDirectory, temporaryPath } from '@varve/files';
import type { LogEntry } from '@varve/events/projections';
import { activeBranch, type LogFormat, type OutputFile } from '@varve/interop';
import { StorageError, type LogReader, type Summary, type Signer } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { metaFields } from '../conversations/meta-fields.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { reportLosses } from './report.ts';

/**
 * Returns a conversation in a format of another system, and prints what the format cannot hold.
 *
 * @throws {StorageError} `incomplete` for a log that lost events: the files would look whole.
 */
export async function foreignFiles(
  log: LogReader,
  { id, meta }: Summary,
  { format, io, signer }: { readonly format: LogFormat; readonly io: TerminalIo; readonly signer?: Signer | undefined },
): Promise<readonly OutputFile[]> {
  const entries: LogEntry[] = [];
  for await (const entry of log.range(0)) entries.push(entry);
  const loss = await log.loss?.();
  if (loss) throw new StorageError('incomplete', loss.message);
  const { events, dropped } = await activeBranch(entries);
  const { title } = metaFields(meta);
  const exported = { ...(title !== '' && { title }), ...(signer && { signer }) };
  const output = format.write?.({ id, ...exported, events }) ?? { files: [], dropped: [] };
  reportLosses({ dropped: [...dropped, ...output.dropped] }, io);
  return output.files;
}

/**
 * Writes files below a new directory that only its owner can read. It has its name when all of them are written: a
 * killed process leaves another directory next to it.
 */
export async function writeDirectory(files: readonly OutputFile[], directory: string): Promise<void> {
  assertMissing(directory);
  const part = temporaryPath(directory);
  try {
    await mkdir(part, { mode: 0o700 });
    for (const { path, text } of files) {
      const target = join(part, path);
      makeDirectories(dirname(target), 0o700);
      await createAtomically(target, text, { mode: 0o600 });
    }
    // Fails for a directory that appeared at the same time, unless it is empty.
    await rename(part, directory);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  await syncDirectory(dirname(directory));
}

/**
 * Returns the text of an export of one file; undefined if it is a directory.
 *
 * @throws {CliError} for a directory that is to be printed.
 */
export function textOfExport(files: readonly OutputFile[], target: string): string | undefined {
  const [only] = files;
  if (files.length === 1 && only?.path === '') return only.text;
  if (target !== '-') return undefined;
  throw new CliError(exitCodes.usage, 'This format is a directory, which cannot be written to standard output.');
}
