import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { ExecutionStatus } from '@varve/events/projections';
import { StorageError, type EventStore } from '@varve/storage';
import { importBundle, type ImportOptions as BundleOptions } from '@varve/storage/maintenance';
import type { Signer, Verdict } from '@varve/storage/proof';
import { AgentError } from '../error.ts';
import { readMeta } from '../log/conversation-meta.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { callErrorDraft, importDraft, statusDraft } from '../log/drafts.ts';
import { Journal } from '../log/journal.ts';
import { lastTimestamp } from '../log/read-log.ts';
import { withoutUndefined } from '../without-undefined.ts';

/** Options of `Conversation.import`; those of `verify` apply to the bundle. */
export interface ImportOptions extends Omit<BundleOptions, 'meta'> {
  /** Not owned. */
  readonly store: EventStore;
  /** Signs the seals of the events that the import appends. */
  readonly signer?: Signer;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Ids of events; default random UUIDs. */
  readonly newId?: () => string;
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

/**
 * Imports a bundle under the id of its conversation. Its events are history: of its settings only the title is kept,
 * and its open calls are answered, so that nothing in it approves or runs anything here.
 *
 * @throws {StorageError} `exists`, `corrupt`, `invalid` and what the store throws.
 * @see docs/decisions/0041-settings-are-facts.md
 */
export async function importConversation(
  bundle: AsyncIterable<string | Uint8Array>,
  { store, signer, now = Date.now, newId, ...options }: ImportOptions,
): Promise<ImportedConversation> {
  let id = '';
  const into: EventStore = {
    ...withMethods(store),
    create: async (conversation, meta) => {
      id = conversation;
      await removeUnfinished(conversation, store);
      return store.create(conversation, meta);
    },
  };
  const verdict = await importBundle(bundle, into, { ...options, meta: importedMeta });
  const seal = verdict?.seal;
  const openCalls = await finishImport(id, store, { seal, now, ...withoutUndefined({ signer, newId }) });
  return { id, openCalls, ...(verdict && { verdict }) };
}

/** Returns true for the `meta` of a conversation whose import did not end. */
export function isUnfinishedImport(meta: Json): boolean {
  return typeof meta === 'object' && meta !== null && 'importing' in meta;
}

/** Returns the `meta` of a conversation whose import has begun, from that of the bundle. */
function importedMeta(meta: Json): Json {
  return { ...titleOf(meta), status: 'idle', importing: true };
}

/** Statuses of work that another process had in progress. */
const activeStatuses = new Set<ExecutionStatus>(['running', 'waiting_for_confirmation']);

interface FinishOptions {
  readonly seal: string | undefined;
  readonly now: () => number;
  readonly signer?: Signer;
  readonly newId?: () => string;
}

/** Appends the boundary and the answers of the open calls, and removes the mark. Resolves with their number. */
async function finishImport(id: string, store: EventStore, { seal, now, ...options }: FinishOptions): Promise<number> {
  await using log = await store.open(id);
  const codec = eventCodec(builtinKinds);
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(from));
  const titled = titleOf((await store.summary(id)).meta);
  const journal = new Journal({
    log,
    codec,
    timeline,
    mask: (value) => value,
    metaOf: ({ execution, title }) => ({ ...(title !== undefined && { title }), ...titled, status: execution }),
    now,
    ...options,
    ...withoutUndefined({ lastTimestamp: await lastTimestamp(log, codec) }),
  });
  const open = timeline.read('pending');
  await journal.emit([
    importDraft({ events: timeline.head, at: Math.floor(now()), ...(seal !== undefined && { seal }) }),
    ...open.map(({ event }) => callErrorDraft(event, importedMessage)),
    ...(activeStatuses.has(timeline.read('status').execution) ? [statusDraft('idle')] : []),
  ]);
  return open.length;
}

/** Removes the rest of an import that did not end. Of any other conversation `create` reports that it exists. */
async function removeUnfinished(id: string, store: EventStore): Promise<void> {
  try {
    if (isUnfinishedImport((await store.summary(id)).meta)) await store.remove(id);
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'missing')) throw error;
  }
}

/** Refuses a conversation whose import did not end. @throws {AgentError} `incomplete`. */
export function checkImported(id: string, meta: Json): void {
  if (!isUnfinishedImport(meta)) return;
  throw new AgentError('incomplete', `The import of conversation ${id} did not end: import it again.`);
}

const maxTitle = 200;

function titleOf(meta: Json): { readonly title?: string } {
  const { title } = readMeta(meta);
  return title === undefined ? {} : { title: title.slice(0, maxTitle) };
}

/** Returns the methods of a store as an object of their own. */
function withMethods(store: EventStore): EventStore {
  return {
    create: (id, meta) => store.create(id, meta),
    open: (id) => store.open(id),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    summary: (id) => store.summary(id),
    remove: (id) => store.remove(id),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
