import type { Stored } from '../contract/log-reader.ts';
import type { Statement } from '../contract/statement.ts';

/** A conversation in memory. */
export interface MemoryConversation {
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  /** JSON, so that nobody shares objects with the caller. */
  meta: string;
  readonly events: Stored[];
  readonly seqs: Map<string, number>;
  /** One per event. */
  readonly seals: string[];
  readonly statements: Statement[];
  /** JSON by seq by name. */
  readonly snapshots: Map<string, Map<number, string>>;
  epoch: number;
  isHeld: boolean;
  isRemoved: boolean;
}
