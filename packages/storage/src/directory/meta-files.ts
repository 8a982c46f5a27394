import type { Json } from '@varve/events';
import type { NewEvent } from '../contract/log.ts';
import { agentMetaOf, baseState } from './base-state.ts';
import { type OwnMeta, ownMetaText, parseOwnMeta, readMeta, sha256Of } from './conversation-meta.ts';
import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import { parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';
import { storedConversation } from './stored-conversation.ts';

/** A file to write, in place of the one there is. */
export interface FileContent {
  readonly path: string;
  readonly text: string;
}

/** What the files beside a log are made of. */
export interface MetaFilesOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  /** Where the conversation will lie, while it is made elsewhere. */
  readonly directory?: string;
  readonly index: Pick<EventIndex, 'head' | 'page' | 'updatedAt'>;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/** A change of the files beside a log. */
export interface MetaChange {
  /** The new `meta`; absent when only events came. */
  readonly meta?: Json | undefined;
  /** The events that are appended with it. */
  readonly events: readonly NewEvent[];
}

/**
 * Makes the files beside a log, `base_state.json` and `meta.json` of the reference among them, which a conversation has
 * when its id is a UUID and its `meta` names a workspace, or when the reference made it.
 */
export class MetaFiles {
  readonly #options: MetaFilesOptions;
  #leafId: string | undefined;
  #lastUserMessageId: string | undefined;
  /** Whether events came since the files were written. */
  #isStale = false;

  constructor(options: MetaFilesOptions) {
    this.#options = options;
  }

  /** Is told that events were appended; `isWritten` when the files made with them are in their places. */
  recordAppend(events: readonly NewEvent[], { isWritten }: { readonly isWritten: boolean }): void {
    this.#leafId = leafOf(events) ?? this.#leafId;
    this.#lastUserMessageId = userMessageOf(events) ?? this.#lastUserMessageId;
    if (isWritten) this.#isStale = false;
    else if (events.length > 0) this.#isStale = true;
  }

  /** The files that are behind the log, if any. */
  staleFiles(): readonly FileContent[] {
    const replacements = this.#isStale ? this.replacements({ events: [] }) : [];
    // Our own file is only behind when the state that it goes with is.
    return replacements.length > 1 ? replacements : [];
  }

  /** The files after a change, to be put in their places in this order. */
  replacements({ meta, events }: MetaChange): readonly FileContent[] {
    const { files, paths, now } = this.#options;
    const own = parseOwnMeta(files.read(paths.ownMeta));
    const known = readMeta(files, paths);
    const createdAt = known.createdAt ?? now();
    const reference = this.#reference({ meta, events }, createdAt, own);
    const current = meta === undefined ? own && known.meta : meta;
    if (current === undefined) return reference;
    const state = reference.find(({ path }) => path === paths.baseState)?.text;
    const text = ownMetaText({
      createdAt,
      meta: current,
      baseState: state === undefined ? undefined : sha256Of(state),
    });
    return [...reference, { path: paths.ownMeta, text }];
  }

  #reference({ meta: newMeta, events }: MetaChange, createdAt: number, own: OwnMeta | undefined): FileContent[] {
    const { id, files, paths, index, now } = this.#options;
    const uuid = uuidOf(id);
    const before = parseRecord(files.read(paths.baseState));
    // Without a new one, what the reference may have written since is newer than the last one of ours.
    const meta = agentMetaOf(newMeta ?? (before ? undefined : own?.meta));
    if (uuid === undefined || (meta.workspace === undefined && !before)) return [];
    const state = baseState({
      uuid,
      directory: this.#options.directory ?? paths.directory,
      meta,
      previous: agentMetaOf(own?.meta),
      before,
      leafId: leafOf(events) ?? this.#leaf(),
      lastUserMessageId: userMessageOf(events) ?? this.#lastUserMessageId,
    });
    const updatedAt = newMeta === undefined ? index.updatedAt : now();
    const stored = { uuid, meta, before: parseRecord(files.read(paths.meta)), state, createdAt, updatedAt };
    return [
      { path: paths.baseState, text: JSON.stringify(state) },
      { path: paths.meta, text: JSON.stringify(storedConversation(stored)) },
    ];
  }

  /** The last event that others may follow. After a crash it is looked for in the log, which is ahead of the files. */
  #leaf(): string | undefined {
    const { index } = this.#options;
    for (let seq = index.head - 1; this.#leafId === undefined && seq >= 0; seq -= 1) {
      this.#leafId = leafOf(index.page(seq, seq + 1));
    }
    return this.#leafId;
  }
}

/** State updates are side leaves: no event follows one. */
function leafOf(events: readonly NewEvent[]): string | undefined {
  return events.findLast(({ kind }) => kind !== 'ConversationStateUpdateEvent')?.id;
}

function userMessageOf(events: readonly NewEvent[]): string | undefined {
  return events.findLast(({ kind, text }) => kind === 'MessageEvent' && parseRecord(text)?.['source'] === 'user')?.id;
}

/** The UUID that an id is, with or without hyphens. */
function uuidOf(id: string): string | undefined {
  const hex = id.replaceAll('-', '').toLowerCase();
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return /^[0-9a-f]{32}$/.test(hex) && [hex, uuid].includes(id.toLowerCase()) ? uuid : undefined;
}
