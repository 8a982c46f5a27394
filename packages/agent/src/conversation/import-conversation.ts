import { randomUUID } from 'node:crypto';
import { type LogEntry, statusKey } from '@varve/events/projections';
import { canonicalId, StorageError, type EventStore, type LogReader, type Signer, type Verdict } from '@varve/storage';
import { isId, readerOf, wakeups } from '@varve/storage/kit';
import type { ImportOptions as BundleOptions } from '@varve/storage/maintenance';
import { eventCodec, type BaseEvent, type Json } from '@varve/events';
import { forkEndFact, importFact } from '@varve/events/facts';
import { AgentErrorEvent, builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { withoutUndefined } from '@varve/text';
import { AgentError } from '../error.ts';
import { isUnfinishedImport } from '../log/settings.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { endHistory, titleOf } from './end-history.ts';

/** Options of `Conversation.import`; those of `verify` apply to the bundle. */
export interface ImportOptions
  extends Omit<BundleOptions, 'meta' | 'onCopied'>, Pick<ConversationOptions, 'now' | 'newId'> {
  /** Not owned. */
  readonly store: EventStore;
  /** Signs the seals of the events that the import appends. */
  readonly signer?: Signer;
}

/** Result of `Conversation.import`. */
export interface ImportedConversation {
  readonly id: string;
  /** Verdict on the copied events; absent if the store keeps no proof. */
  readonly verdict?: Verdict;
  /** Number of imported calls without a result; they never run. */
  readonly openCalls: number;
}

/** Answer to an imported call without a result. It may have run in the store that it comes from. */
const importedMessage =
  'This call had no result when the conversation was imported. It was not executed here, and may have been executed before: check the current state before you repeat it.';

/** Imports a bundle for `Conversation.import`. @see docs/decisions/0041-settings-are-facts.md */
export async function importConversation(
  chunks: AsyncIterable<string | Uint8Array>,
  { store, signer, now = Date.now, newId, ...options }: ImportOptions,
): Promise<ImportedConversation> {
  const { importBundle, readBundle } = await import('@varve/storage/maintenance');
  const bundle = await readBundle(chunks);
  await removeUnfinished(bundle.log, store);
  const title = titleOf(bundle.meta);
  const importing = (newId ?? randomUUID)();
  let openCalls = 0;
  const verdict = await importBundle({ ...bundle, owner: undefined }, store, {
    ...options,
    meta: () => ({ ...title, status: 'idle', importing }),
    onCopied: async (copy, copied) => {
      const seal = copied?.seal;
      const common = { now, answer: importedMessage, ...withoutUndefined({ signer, newId }) };
      openCalls = await endHistory(copy, { title, seal, ...common });
    },
  });
  return { id: bundle.log.id, openCalls, ...(verdict && { verdict }) };
}

/**
 * Removes the rest of an earlier import that did not end: a log with that mark that contains nothing but the beginning
 * of the bundle, or all of it and the beginning of what an import appends. Of any other conversation `create` reports
 * that it exists.
 */
async function removeUnfinished(bundle: LogReader, store: EventStore): Promise<void> {
  try {
    if (!isUnfinishedImport((await store.summary(bundle.id)).meta)) return;
    const expectedMeta = await markOfRest(bundle, store);
    if (expectedMeta !== undefined) await store.remove(bundle.id, { expectedMeta });
  } catch (error) {
    // In the latter case another import of the bundle removed the rest first.
    if (!(error instanceof StorageError && ['missing', 'conflict'].includes(error.code))) throw error;
  }
}

/**
 * Returns the `meta` of the rest; undefined for other logs. Looks under the lease: another import of the bundle would
 * otherwise end in between. The mark in the `meta` is that of one import, so what follows the lease is not removed.
 */
async function markOfRest(bundle: LogReader, store: EventStore): Promise<Json | undefined> {
  await using log = await store.open(bundle.id, { purpose: 'repair' });
  const { meta } = await store.summary(bundle.id);
  return isUnfinishedImport(meta) && (await isUnfinished(log, bundle)) ? meta : undefined;
}

async function isUnfinished(log: LogReader, whole: LogReader): Promise<boolean> {
  const end = await whole.head();
  const texts = whole.range(0)[Symbol.asyncIterator]();
  for await (const { text } of log.range(0, end)) if ((await texts.next()).value?.text !== text) return false;
  if ((await log.head()) <= end) return true;
  const codec = eventCodec(builtinKinds);
  const rest = await Array.fromAsync(log.range(end), ({ text }) => codec.read(text));
  return rest.every((event, index) => isAppendedByImport(event, index === 0));
}

/** Reports whether an event can be one that `endHistory` appends: the first is a boundary. */
function isAppendedByImport(event: BaseEvent, isFirst: boolean): boolean {
  if (importFact.read(event) || forkEndFact.read(event)) return true;
  if (isFirst) return false;
  return AgentErrorEvent.is(event) || (ConversationStateUpdateEvent.is(event) && event.key === statusKey);
}

/** Refuses a conversation whose import did not end. @throws {AgentError} `incomplete`. */
export function checkImported(id: string, meta: Json): void {
  if (!isUnfinishedImport(meta)) return;
  throw new AgentError('incomplete', `The import of conversation ${id} did not end: import it again.`);
}

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
  return importConversation(await bundleOf(log, { id, now: (options.now ?? Date.now)() }), options);
}

async function bundleOf(
  { entries, title }: LogToImport,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<AsyncIterable<string>> {
  const { exportBundle } = await import('@varve/storage/maintenance');
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
