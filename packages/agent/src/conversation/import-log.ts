import { randomUUID } from 'node:crypto';
import type { LogEntry } from '@varve/events/projections';
import { canonicalId } from '@varve/storage';
import { isId, readerOf, wakeups } from '@varve/storage/kit';
import { exportBundle } from '@varve/storage/maintenance';
import { importConversation, type ImportedConversation, type ImportOptions } from './import-conversation.ts';

/** A log of another system as events, such as `readLogs` of `@varve/interop` returns it. */
export interface LogToImport {
  /** Id in the other system. It is kept if it is one here; otherwise the conversation has a new id. */
  readonly id?: string;
  readonly title?: string;
  /** Events in order, with their exact texts. */
  readonly entries: readonly LogEntry[];
}

/** Imports a log as a bundle without seals. @throws {StorageError} as `Conversation.import`. */
export async function importLog(log: LogToImport, options: ImportOptions): Promise<ImportedConversation> {
  const id = canonicalId(log.id !== undefined && isId(log.id) ? log.id : randomUUID());
  return importConversation(bundleOf(log, { id, now: (options.now ?? Date.now)() }), options);
}

function bundleOf(
  { entries, title }: LogToImport,
  { id, now }: { readonly id: string; readonly now: number },
): AsyncIterable<string> {
  const wake = wakeups();
  const log = readerOf({
    id,
    head: async () => entries.length,
    page: async (from, to) => entries.slice(from, Math.min(to, from + 256)),
    seqOf: async (eventId) => entries.find((entry) => entry.id === eventId)?.seq,
    arm: () => wake.arm(id),
    closed: new AbortController().signal,
  });
  const meta = title === undefined ? {} : { title };
  return exportBundle(log, { id, createdAt: now, updatedAt: now, head: entries.length, meta });
}
