/** A row that a statement returned. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement and returns its rows. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A transaction, whose statements run one after the other. */
export interface Session {
  readonly query: Query;
}
