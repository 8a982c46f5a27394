/** Something about a directory that its owner may want to know; the store goes on without anyone's help. */
export interface DirectoryWarning {
  /**
   * `no-hard-links`: the root's file system has none, so files are renamed into place. `gap`: an event is missing and
   * the log ends before it. `same-index`: of two events with one index the first by name is the one. `same-id`: an
   * event is in the log twice and is found at its first place. `broken-event`: a file holds no event. `set-aside`: a
   * file was moved to `.varve/quarantine`.
   */
  readonly code: 'no-hard-links' | 'gap' | 'same-index' | 'same-id' | 'broken-event' | 'set-aside';
  /** One sentence. */
  readonly message: string;
  readonly path: string;
}

/** Is told of each warning. Must not throw. */
export type OnWarning = (warning: DirectoryWarning) => void;
