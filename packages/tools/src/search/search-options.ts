/** Where and how far `grep` and `glob` search. */
export interface SearchOptions {
  /**
   * `workspace`: only what lies, links resolved, in the workspace or in one of `roots`. `unrestricted`: every path of this
   * machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
  /** The most files to report. Default: 100. */
  readonly maxFiles?: number;
  /** The longest answer, in UTF-16 units. Default: 30 000. */
  readonly maxChars?: number;
  /** A search that takes longer reports what it has found. Default: 30 000. */
  readonly timeoutMs?: number;
  /** Path of a ripgrep. Default: the one of the optional package, else the first on the search path. */
  readonly ripgrep?: string;
}
