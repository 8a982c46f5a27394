import type { Json } from '@varve/events';

/** A saved fold of the first `seq` events. */
export interface Snapshot {
  /** Number of folded events. */
  readonly seq: number;
  readonly state: Json;
}

/**
 * Saved folds of one log. This is a cache: the store may drop any of them at any time, readers must be correct without
 * them, and saving is not durable. At most 16 are kept per name, the highest seqs. A store that lost events in a crash
 * must not return snapshots of more events than it kept. A name is any text: a store that uses it as a file name has to
 * encode it, or not save.
 */
export interface SnapshotCache {
  /** Returns the snapshot of this name with the most events, at most `upTo` (default: any). The caller owns it. */
  latest(name: string, upTo?: number): Promise<Snapshot | undefined>;
  /**
   * Copies the state and replaces a snapshot of the same seq. Failing to save is not an error: the promise resolves
   * even if the log is disposed, the state is not JSON or the seq is not an integer of 0 or more.
   */
  save(name: string, snapshot: Snapshot): Promise<void>;
}
