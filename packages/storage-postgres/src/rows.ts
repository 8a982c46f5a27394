import type { Json } from '@varve/events';
import type { Statement, Summary } from '@varve/storage';
import { parseStatement } from '@varve/storage/kit';
import { parseJson } from '@varve/text';
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

interface SummaryRow {
  readonly id: string;
  readonly head: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly owner: string;
  readonly meta: string;
}

/** Converts a row of `conversation` with its `meta`, which is null if it is damaged: the log does not depend on it. */
export function toSummary(row: Row): Summary {
  const { id, head, created_at: createdAt, updated_at: updatedAt, owner, meta } = row as unknown as SummaryRow;
  return { id, createdAt, updatedAt, head, ...(owner && { owner }), meta: (parseJson(meta) ?? null) as Json };
}

/**
 * Converts the columns `seq` and `json` of a row of `statement`; returns undefined if it cannot be read, or is about
 * another event than its row.
 */
export function statementOf({ seq, json }: Row): Statement | undefined {
  const statement = parseStatement(parseJson(String(json)));
  return statement?.seq === seq ? statement : undefined;
}

/** Converts a seal from hexadecimal digits to a column of the database. */
export function sealBytes(seal: string): Buffer {
  return Buffer.from(seal, 'hex');
}

/** Converts a seal from a column of the database to hexadecimal digits; `undefined` if the column is null. */
export function sealText(column: unknown): string | undefined {
  return column instanceof Uint8Array ? Buffer.from(column).toString('hex') : undefined;
}
