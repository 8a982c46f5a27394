/** Options of {@link fileEditor}. */
export interface FileEditorOptions {
  /**
   * `workspace`: only paths that, with links resolved, are in the workspace or in one of `roots`. `unrestricted`: every
   * path of this machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
  /** Maximum size of an edited file. Of larger files only ranges of lines can be viewed. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Directory of the undo history, which makes undo work in later processes too: an absolute path, used only by this
   * tool of this conversation. Default: the history is kept in memory.
   */
  readonly historyDir?: string;
  /** Maximum length of a view, in UTF-16 units. Default: 16 000. */
  readonly maxViewChars?: number;
}
