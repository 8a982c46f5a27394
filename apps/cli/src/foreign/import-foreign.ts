import { Conversation } from '@varve/agent';
import { readLogs, type ForeignFiles, type ForeignLog, type LogFormat } from '@varve/interop';
import { StorageError, type EventStore } from '@varve/storage';
import { eventCount } from '../conversations/formats.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { reportLosses, reportSignatures } from './report.ts';

/** Options of {@link importForeign}. */
export interface ImportForeignOptions {
  readonly store: EventStore;
  readonly format: LogFormat;
  readonly io: TerminalIo;
  /** Keys that must have signed the log, if there are any. */
  readonly trusted: readonly string[];
}

/**
 * Imports the logs in files of another system, and prints their ids. They pass the boundary of every import: they are
 * history, and neither approve nor run anything.
 *
 * @throws {InteropError} {@link StorageError} as reading the format and importing a bundle do.
 */
export async function importForeign(files: ForeignFiles, options: ImportForeignOptions): Promise<void> {
  const { format, io, trusted } = options;
  const logs = await readLogs(files, { format, ...(trusted.length > 0 && { trusted }) });
  let failure: unknown;
  for (const log of logs) {
    try {
      await importLog(log, options);
    } catch (error) {
      // One conversation of many that exists already does not keep the others out.
      if (logs.length === 1 || !(error instanceof StorageError && error.code === 'exists')) throw error;
      failure = error;
      io.stderr.line(error.message);
    }
  }
  if (failure !== undefined) throw failure;
}

async function importLog(log: ForeignLog, { store, format, io }: ImportForeignOptions): Promise<void> {
  const { id, openCalls } = await Conversation.importLog(log, { store });
  io.stderr.line(styled('dim', `Imported ${eventCount(log.entries.length)} of the format ${format.name}.`));
  if (openCalls > 0) io.stderr.line(`${openCalls} of its calls had no result; they do not run here.`);
  reportLosses(log, io);
  if (log.signatures) reportSignatures(log.signatures, io);
  io.stdout.line(id);
}
