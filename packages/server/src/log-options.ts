/** Level and destination of a server's log. */
export interface LogOptions {
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Receives one JSON object per line. */
  readonly stream: { write(line: string): unknown };
}
