import type { Summary } from '../contract/store.ts';
import { type LoadedLog, loadedLog } from '../kit/loaded-log.ts';
import type { MemorySnapshots } from '../kit/snapshots.ts';

/** A conversation in memory. */
export interface MemoryConversation extends LoadedLog {
  /** Empty without one. */
  readonly owner: string;
  readonly createdAt: number;
  updatedAt: number;
  /** JSON, so that no objects are shared with the caller. */
  meta: string;
  readonly snapshots: MemorySnapshots;
  epoch: number;
  isHeld: boolean;
  isRemoved: boolean;
}

/** Creates an empty conversation. */
export function newConversation(
  id: string,
  meta: string,
  { owner, at }: { readonly owner: string; readonly at: number },
): MemoryConversation {
  const lease = { epoch: 0, isHeld: false, isRemoved: false };
  return { ...loadedLog(id), owner, createdAt: at, updatedAt: at, meta, snapshots: new Map(), ...lease };
}

/** Returns the summary of a conversation. */
export function summaryOf({ id, owner, createdAt, updatedAt, events, meta }: MemoryConversation): Summary {
  return { id, createdAt, updatedAt, head: events.length, ...(owner && { owner }), meta: JSON.parse(meta) };
}
