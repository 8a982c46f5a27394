import { randomUUID } from 'node:crypto';
import type { ForeignFiles, ForeignLog, LogFormat } from '@varve/interop';
import { canonicalId, StorageError, type EventStore } from '@varve/storage';
import { isId } from '@varve/storage/kit';
import { eventCount } from '../conversations/formats.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { bundleOf } from './bundle-of.ts';
import { reportLosses, reportSignatures } from './report.ts';

/** Options of {@link importForeign}. */
export interface ImportForeignOptions {
  readonly store: EventStore;
  readonly format: LogFormat;
  readonly io: TerminalIo;
  /** Keys that must have signed the log, if there are any. */
  readonly trusted: readonly string[];
}

type ImportLogOptions = Omit<ImportForeignOptions, 'trusted'>;

/**
 * Imports the logs in files of another system, and prints their ids. They pass the boundary of every import: they are
 * history, and neither approve nor run anything.
 *
 * @throws {InteropError} {@link StorageError} as reading the format and importing a bundle do.
 */
export async function importForeign(
  files: ForeignFiles,
  { store, format, io, trusted }: ImportForeignOptions,
): Promise<void> {
  const options = { newId: randomUUID, ...(trusted.length > 0 && { trusted }) };
  const logs = (await format.read?.(files, options)) ?? [];
  let failure: unknown;
  for (const log of logs.flatMap(withChildren)) {
    try {
      await importLog(log, { store, format, io });
    } catch (error) {
      // One conversation of many that exists already does not keep the others out.
      if (logs.length === 1 || !(error instanceof StorageError && error.code === 'exists')) throw error;
      failure = error;
      io.stderr.line(error.message);
    }
  }
  if (failure !== undefined) throw failure;
}

function withChildren(log: ForeignLog): readonly ForeignLog[] {
  return [log, ...log.children.flatMap(withChildren)];
}

async function importLog(log: ForeignLog, { store, format, io }: ImportLogOptions): Promise<void> {
  // Loaded here, so that the help appears faster.
  const { Conversation } = await import('@varve/agent');
  const id = canonicalId(log.id !== undefined && isId(log.id) ? log.id : randomUUID());
  const { openCalls } = await Conversation.import(bundleOf(log, id), { store });
  io.stderr.line(styled('dim', `Imported ${eventCount(log.entries.length)} of the format ${format.name}.`));
  if (openCalls > 0) io.stderr.line(`${openCalls} of its calls had no result; they do not run here.`);
  reportLosses(log, io);
  if (log.signatures) reportSignatures(log.signatures, io);
  io.stdout.line(id);
}
