/** A problem in a directory that the store works around by itself. */
export interface DirectoryWarning {
  /**
   * - `no-hard-links`: the root's file system has no hard links, so files are renamed into place.
   * - `gap`: an event is missing, and the log ends before it.
   * - `same-index`: two files have the same index; the first by name is the event.
   * - `same-id`: an event is in the log twice; `seqOf` returns the first.
   * - `broken-event`: a file does not contain an event.
   * - `quarantined`: a file was moved to `.varve/quarantine`.
   */
  readonly code: 'no-hard-links' | 'gap' | 'same-index' | 'same-id' | 'broken-event' | 'quarantined';
  /** One sentence. */
  readonly message: string;
  readonly path: string;
}

/** Receives warnings. Must not throw. */
export type OnWarning = (warning: DirectoryWarning) => void;

/** Returns a function that forwards each message once. */
export function warnOnce(warn: OnWarning): OnWarning {
  const reported = new Set<string>();
  return (warning) => {
    if (reported.has(warning.message)) return;
    reported.add(warning.message);
    warn(warning);
  };
}
