/** What a server logs, and where to. */
export interface LogOptions {
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Gets one JSON object per line. */
  readonly stream: { write(line: string): unknown };
}
