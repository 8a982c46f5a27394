import type { SQLOutputValue } from 'node:sqlite';
import type { Snapshot } from '../contract/snapshots.ts';
import type { Summary } from '../contract/store.ts';

type Row = Record<string, SQLOutputValue>;

/** A row of `conversation`. */
export interface ConversationRow {
  readonly key: number;
  readonly id: string;
  readonly head: number;
  /** Of the last event. */
  readonly seal: Uint8Array | null;
  readonly lease_epoch: number;
  /** Names the store that holds the lease; the lease columns are all null or all set. */
  readonly lease_holder: string | null;
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_boot: string | null;
  /** UTC milliseconds. */
  readonly lease_until: number | null;
}

/** Reads a row of `conversation`: the schema is strict, so the columns have their types. */
export function toConversation(row: Row): ConversationRow {
  return row as unknown as ConversationRow;
}

/** A row of `event`, without the conversation. */
export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly parent_id: string | null;
  /** Without the strings that are kept as blobs. */
  readonly text: string;
  /** How many those are; null for none. */
  readonly blobs: number | null;
  readonly seal: Uint8Array<ArrayBuffer> | null;
}

/** Reads a row of `event`: the schema is strict, so the columns have their types. */
export function toEvent(row: Row): EventRow {
  return row as unknown as EventRow;
}

/** Reads a row of `conversation` with its `meta`. */
export function toSummary(row: Row): Summary {
  const { id, head } = toConversation(row);
  const {
    created_at: createdAt,
    updated_at: updatedAt,
    meta,
  } = row as { created_at: number; updated_at: number; meta: string };
  return { id, createdAt, updatedAt, head, meta: JSON.parse(meta) };
}

/** Reads a row of `snapshot`. */
export function toSnapshot(row: Row): Snapshot {
  const { seq, state } = row as { seq: number; state: string };
  return { seq, state: JSON.parse(state) };
}
