import type { Row } from './session.ts';

/** A row of `conversation`. */
export interface ConversationRow {
  readonly key: number;
  readonly id: string;
  readonly head: number;
  /** Seal of the last event. */
  readonly seal: Uint8Array | null;
  readonly lease_epoch: number;
  /** The lease columns are all null, or all but the address are set. */
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_boot: string | null;
  /** Null for a holder without an address. */
  readonly lease_address: string | null;
  /** UTC milliseconds by the clock of the database. */
  readonly lease_until: number | null;
  /** Time of the database when the row was read, in UTC milliseconds. */
  readonly now: number;
}

/** Converts a row of `conversation`: the columns have types. */
export function toConversation(row: Row): ConversationRow {
  return row as unknown as ConversationRow;
}

/** The end of a log. */
export type LogState = Pick<ConversationRow, 'head' | 'seal'>;

/** A conversation whose rows are checked, in a transaction of the caller. */
export type CheckedConversation = Pick<ConversationRow, 'key' | 'id' | 'head' | 'seal'>;
