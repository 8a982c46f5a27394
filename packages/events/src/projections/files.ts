import type { BaseEvent } from '../define-event.ts';
import { filesFact, type FileChange } from '../facts/files.ts';
import { forkEndFact } from '../facts/fork.ts';
import { importFact } from '../facts/import.ts';
import { rewindFact } from '../facts/rewind.ts';
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
  /** Characters of all contents. */
  readonly chars: number;
  /** Return of files to an earlier state that has not ended. */
  readonly rewind?: UnfinishedRewind;
}

/** Return of files to an earlier state: the id of its event, and the changes that are to be made. */
export interface UnfinishedRewind {
  readonly id: string;
  readonly changes: readonly FileChange[];
}

interface FilesState {
  readonly records: Map<string, FileRecord>;
  readonly contents: Map<string, number>;
  chars: number;
  rewind?: UnfinishedRewind | undefined;
}

/** State in a snapshot. */
interface SavedFiles {
  readonly records: [string, FileRecord][];
  readonly contents: [string, number][];
  readonly chars: number;
  readonly rewind?: UnfinishedRewind;
}

/**
 * Folds the files that a log recorded. Scope is the log: a conversation that moves to another branch leaves the files
 * on the disk as they are. Those of an imported log are of another machine, and do not count.
 */
export const filesProjection: Projection<FilesState, Files> = {
  name: 'files',
  version: 1,
  scope: 'log',
  initial,
  apply(state, event, seq) {
    if (importFact.read(event)) return initial();
    // A fork has a workspace of its own, or the files of its origin as they are now.
    if (forkEndFact.read(event)) state.rewind = undefined;
    const started = rewindFact.read(event);
    if (started) state.rewind = { id: event.id, changes: started.changes };
    const ended = filesFact.read(event)?.rewind_id;
    if (ended !== undefined && ended === state.rewind?.id) state.rewind = undefined;
    for (const change of changesOf(event)) applyChange(state, change, { eventId: event.id, seq });
    return state;
  },
  // A map cannot be frozen.
  read: ({ records, contents, chars, rewind }) => ({
    records: new Map(records),
    contents: new Map(contents),
    chars,
    ...(rewind && { rewind: freezeJson(rewind) }),
  }),
  encode: ({ records, contents, chars, rewind }) => ({
    records: [...records].map(([path, record]) => [path, { ...record }]),
    contents: [...contents].map(([hash, seq]) => [hash, seq]),
    chars,
    ...(rewind && { rewind: { id: rewind.id, changes: rewind.changes.map((change) => ({ ...change })) } }),
  }),
  decode(json) {
    const { records, contents, chars, rewind } = json as unknown as SavedFiles;
    return { records: new Map(records), contents: new Map(contents), chars, ...(rewind && { rewind }) };
  },
};

function initial(): FilesState {
  return { records: new Map(), contents: new Map(), chars: 0 };
}

/** Returns the changes of files that an event records. */
export function changesOf(event: BaseEvent): readonly FileChange[] {
  return filesFact.read(event)?.changes ?? [];
}

function applyChange(state: FilesState, change: FileChange, place: Pick<FileRecord, 'eventId' | 'seq'>): void {
  const { content, encoding: _encoding, ...rest } = change;
  const { path, before, after } = rest;
  if (content !== undefined && after !== null && !state.contents.has(after)) {
    state.contents.set(after, place.seq);
    state.chars += content.length;
  }
  const earlier = state.records.get(path);
  const first = earlier ? earlier.first : before;
  state.records.set(path, freezeJson({ change: rest, ...place, first }));
}
