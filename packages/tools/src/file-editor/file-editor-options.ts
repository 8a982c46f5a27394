/** Where a file editor may work. */
export interface FileEditorOptions {
  /**
   * `workspace`: only what lies, links resolved, in the workspace or in one of `roots`. `unrestricted`: every path of this
   * machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
  /** Of larger files only ranges of lines are shown; they are not edited. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Where what can be undone is kept, so that it can be in a later process too: an absolute path of a directory that belongs
   * to this tool of this conversation alone. Default: memory.
   */
  readonly historyDir?: string;
  /** The longest view, in UTF-16 units. Default: 16 000. */
  readonly maxViewChars?: number;
}
