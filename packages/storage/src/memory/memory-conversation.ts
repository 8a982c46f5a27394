import type { Stored } from '../contract/log-reader.ts';
import type { Statement } from '../contract/statement.ts';
import type { Summary } from '../contract/store.ts';
import type { MemorySnapshots } from '../kit/snapshots.ts';

/** A conversation in memory. */
export interface MemoryConversation {
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  /** JSON, so that no objects are shared with the caller. */
  meta: string;
  readonly events: Stored[];
  /** Seq by event id. */
  readonly seqs: Map<string, number>;
  /** One per event. */
  readonly seals: string[];
  readonly statements: Statement[];
  readonly snapshots: MemorySnapshots;
  epoch: number;
  isHeld: boolean;
  isRemoved: boolean;
}

/** Creates an empty conversation. */
export function newConversation(id: string, meta: string, at: number): MemoryConversation {
  const times = { createdAt: at, updatedAt: at };
  const contents = {
    events: [],
    seqs: new Map<string, number>(),
    seals: [],
    statements: [],
    snapshots: new Map<string, Map<number, string>>(),
  };
  return { id, meta, ...times, ...contents, epoch: 0, isHeld: false, isRemoved: false };
}

/** Returns the summary of a conversation. */
export function summaryOf({ id, createdAt, updatedAt, events, meta }: MemoryConversation): Summary {
  return { id, createdAt, updatedAt, head: events.length, meta: JSON.parse(meta) };
}
