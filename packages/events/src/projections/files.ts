import type { BaseEvent } from '../define-event.ts';
import { filesFact, type FileChange } from '../facts/files.ts';
import type { Projection } from '../fold/projection.ts';
import { freezeJson } from '../immutable.ts';

/** File as the log last recorded it. */
export interface FileRecord {
  /** Its last change, without the content. */
  readonly change: Omit<FileChange, 'content' | 'encoding'>;
  /** Id of the event with its last change, and the position of this event. */
  readonly eventId: string;
  readonly seq: number;
  /** `before` of its first change. */
  readonly first: string | null;
}

/** Files of a conversation, and where the log has their contents. */
export interface Files {
  /** By path, in the order of their first changes. */
  readonly records: ReadonlyMap<string, FileRecord>;
  /** Position of the event with a content, by its SHA-256. */
  readonly contents: ReadonlyMap<string, number>;
}

interface FilesState {
  readonly records: Map<string, FileRecord>;
  readonly contents: Map<string, number>;
}

/**
 * Folds the files that a log recorded. Scope is the log: a conversation that moves to another branch leaves the files
 * on the disk as they are.
 */
export const filesProjection: Projection<FilesState, Files> = {
  name: 'files',
  version: 1,
  scope: 'log',
  initial: () => ({ records: new Map(), contents: new Map() }),
  apply(state, event, seq) {
    for (const change of changesOf(event)) applyChange(state, change, { eventId: event.id, seq });
    return state;
  },
  // A map cannot be frozen.
  read: ({ records, contents }) => ({ records: new Map(records), contents: new Map(contents) }),
  encode: ({ records, contents }) => ({
    records: [...records].map(([path, record]) => [path, { ...record }]),
    contents: [...contents].map(([hash, seq]) => [hash, seq]),
  }),
  decode(json) {
    const { records, contents } = json as unknown as { records: [string, FileRecord][]; contents: [string, number][] };
    return { records: new Map(records), contents: new Map(contents) };
  },
};

/** Returns the changes of files that an event records. */
export function changesOf(event: BaseEvent): readonly FileChange[] {
  return filesFact.read(event)?.changes ?? [];
}

function applyChange(state: FilesState, change: FileChange, place: Pick<FileRecord, 'eventId' | 'seq'>): void {
  const { content, encoding: _encoding, ...rest } = change;
  const { path, before, after } = rest;
  if (content !== undefined && after !== null && !state.contents.has(after)) {
    state.contents.set(after, place.seq);
  }
  const earlier = state.records.get(path);
  const first = earlier ? earlier.first : before;
  state.records.set(path, freezeJson({ change: rest, ...place, first }));
}
