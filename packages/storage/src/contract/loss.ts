/** Events that a log had, or that are stored for it, and that reading it does not return. */
export interface LogLoss {
  /** First event concerned. */
  readonly seq: number;
  /** Number of events that the log had at least: one more than the last known seq. */
  readonly end: number;
  /**
   * - `missing`: event `seq` does not exist, although the log had it or a later one exists.
   * - `unreadable`: what is stored as event `seq` is not an event.
   * - `duplicate`: two files have the index of event `seq`.
   */
  readonly reason: 'missing' | 'unreadable' | 'duplicate';
  /** Number of events or files from `seq` on that are still stored but not part of the log. */
  readonly kept: number;
  /** Directory or file that contains them. */
  readonly place: string;
  /** Directory or table that `repair` moves them to. */
  readonly quarantine: string;
  /** One sentence. */
  readonly message: string;
}
