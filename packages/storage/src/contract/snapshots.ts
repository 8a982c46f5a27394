import type { Json } from '@varve/events';

/** A saved fold of the first `seq` events. */
export interface Snapshot {
  /** The number of events that were folded. */
  readonly seq: number;
  readonly state: Json;
}

/**
 * Saved folds of one log. A cache: the store may drop any of them at any time, readers must be right without them, and
 * saving one is not durable. At most 16 are kept per name, the highest seqs. A store that lost events in a crash must
 * not give snapshots of more events than it kept. Names are any text: a store that makes file names of them has to
 * encode them or not to save.
 */
export interface SnapshotCache {
  /** The one of this name that folds most events, but at most `upTo` (default: any). The caller owns it. */
  latest(name: string, upTo?: number): Promise<Snapshot | undefined>;
  /**
   * Copies the state; replaces a snapshot of the same seq. Failing to save is not an error: the promise resolves all
   * the same, also when the log is disposed, the state is not JSON or the seq no integer of 0 or more.
   */
  save(name: string, snapshot: Snapshot): Promise<void>;
}
