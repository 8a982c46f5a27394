import type { Json } from '@varve/events';
import { parseJson } from '@varve/text';
import { StorageError } from '../contract/error.ts';
import type { Statement } from '../contract/statement.ts';
import type { Summary } from '../contract/store.ts';
import { parseStatement } from '../proof/parse-statement.ts';

/** A row of a table of a store in a database, whose columns have the types of their schema. */
type Row = Readonly<Record<string, unknown>>;

/** Columns of `conversation` and `meta` in a listing. */
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

/** Converts rows of `statement` of a conversation. @throws {StorageError} `corrupt` for one that cannot be read. */
export function toStatements(id: string, rows: readonly Row[]): readonly Statement[] {
  return rows.map((row) => {
    const statement = statementOf(row);
    if (!statement) throw new StorageError('corrupt', `A stored statement of conversation ${id} is malformed.`);
    return statement;
  });
}

/** Converts a seal from hexadecimal digits to a column of the database. */
export function sealBytes(seal: string): Buffer<ArrayBuffer> {
  return Buffer.from(seal, 'hex');
}

/** Converts a seal from a column of the database to hexadecimal digits; `undefined` if the column is null. */
export function sealText(column: unknown): string | undefined {
  return column instanceof Uint8Array ? Buffer.from(column).toString('hex') : undefined;
}
