import type { Json } from '@varve/events';
import type { NewEvent } from '../contract/log.ts';
import { agentMetaOf, baseState } from './base-state.ts';
import { type OwnMeta, ownMetaText, parseOwnMeta, readMeta, sha256Of } from './conversation-meta.ts';
import type { EventIndex } from './layout/event-index.ts';
import { parseRecord } from '../kit/json.ts';
import type { LogContext } from './log-context.ts';
import { storedConversation } from './stored-conversation.ts';

/** A file to write, which replaces an existing one. */
export interface FileContent {
  readonly path: string;
  readonly text: string;
}

/** Options of `MetaFiles`. */
export interface MetaFilesOptions extends Pick<LogContext, 'id' | 'files' | 'paths' | 'now'> {
  /** Final directory of a conversation that is prepared in another one. */
  readonly directory?: string;
  readonly index: Pick<EventIndex, 'head' | 'page' | 'updatedAt'>;
}

/** A change to the metadata of a conversation. */
export interface MetaChange {
  /** JSON of the new `meta`; absent if only events were appended. */
  readonly metaText?: string | undefined;
  /** Owner of a new conversation; default the stored one. */
  readonly owner?: string;
  /** The events appended in the same write. */
  readonly events: readonly NewEvent[];
}

interface ReferenceContext extends Pick<MetaChange, 'events'> {
  readonly createdAt: number;
  readonly own: OwnMeta | undefined;
}

/**
 * Builds the metadata files of a conversation: `.varve/meta.json`, and `base_state.json` and `meta.json` for the
 * reference. Those of the reference exist if the id is a UUID and `meta` contains a workspace, or if the reference
 * created the conversation.
 */
export class MetaFiles {
  readonly #options: MetaFilesOptions;
  #leafId: string | undefined;
  #lastUserMessageId: string | undefined;
  /** True if events were appended since the files were written. */
  #isStale = false;

  constructor(options: MetaFilesOptions) {
    this.#options = options;
  }

  /** Records appended events; `isWritten` is true if the files built with them are in place. */
  recordAppend(events: readonly NewEvent[], { isWritten }: { readonly isWritten: boolean }): void {
    this.#leafId = leafOf(events) ?? this.#leafId;
    this.#lastUserMessageId = userMessageOf(events) ?? this.#lastUserMessageId;
    if (isWritten) this.#isStale = false;
    else if (events.length > 0) this.#isStale = true;
  }

  /** Returns the files to update because events were appended since they were written; empty if there are none. */
  staleFiles(): readonly FileContent[] {
    const contents = this.#isStale ? this.filesAfter({ events: [] }) : [];
    // `.varve/meta.json` only changes together with `base_state.json`.
    return contents.length > 1 ? contents : [];
  }

  /** Returns the files after a change, to be moved into place in this order. */
  filesAfter({ metaText, owner, events }: MetaChange): readonly FileContent[] {
    const { files, paths, now } = this.#options;
    const meta = metaText === undefined ? undefined : (JSON.parse(metaText) as Json);
    const ownMeta = parseOwnMeta(files.read(paths.ownMeta));
    const known = readMeta(files, paths);
    const createdAt = known.createdAt ?? now();
    const reference = this.#reference(meta, { events, createdAt, own: ownMeta });
    const current = meta === undefined ? ownMeta && known.meta : meta;
    if (current === undefined) return reference;
    const state = reference.find(({ path }) => path === paths.baseState)?.text;
    const text = ownMetaText({
      createdAt,
      owner: owner ?? known.owner,
      meta: current,
      baseState: state === undefined ? undefined : sha256Of(state),
    });
    return [...reference, { path: paths.ownMeta, text }];
  }

  #reference(newMeta: Json | undefined, { events, createdAt, own }: ReferenceContext): FileContent[] {
    const { id, files, paths, index, now } = this.#options;
    const uuid = uuidOf(id);
    const before = parseRecord(files.read(paths.baseState));
    // Without a new `meta`, the files of the reference may be newer than the last `meta` of this package.
    const meta = agentMetaOf(newMeta ?? (before ? undefined : own?.meta));
    if (uuid === undefined || (meta.workspace === undefined && !before)) return [];
    const state = baseState({
      uuid,
      directory: this.#options.directory ?? paths.directory,
      meta,
      previous: agentMetaOf(own?.meta),
      before,
      leafId: leafOf(events) ?? this.#findLeaf(),
      lastUserMessageId: userMessageOf(events) ?? this.#lastUserMessageId,
    });
    const updatedAt = newMeta === undefined ? index.updatedAt : now();
    const stored = { uuid, meta, before: parseRecord(files.read(paths.meta)), state, createdAt, updatedAt };
    return [
      { path: paths.baseState, text: JSON.stringify(state) },
      { path: paths.meta, text: JSON.stringify(storedConversation(stored)) },
    ];
  }

  /** Returns the id of the last event that can be a parent. After a crash it is searched in the log. */
  #findLeaf(): string | undefined {
    const { index } = this.#options;
    for (let seq = index.head - 1; this.#leafId === undefined && seq >= 0; seq -= 1) {
      this.#leafId = leafOf(index.page(seq, seq + 1));
    }
    return this.#leafId;
  }
}

/** Returns the id of the last event that can be a parent: no event follows a state update. */
function leafOf(events: readonly NewEvent[]): string | undefined {
  return events.findLast(({ kind }) => kind !== 'ConversationStateUpdateEvent')?.id;
}

function userMessageOf(events: readonly NewEvent[]): string | undefined {
  return events.findLast(({ kind, text }) => kind === 'MessageEvent' && parseRecord(text)?.['source'] === 'user')?.id;
}

/** Returns the UUID with hyphens for an id that is a UUID with or without them. */
function uuidOf(id: string): string | undefined {
  const hex = id.replaceAll('-', '').toLowerCase();
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return /^[0-9a-f]{32}$/.test(hex) && [hex, uuid].includes(id.toLowerCase()) ? uuid : undefined;
}
