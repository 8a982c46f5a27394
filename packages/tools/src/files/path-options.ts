/** Options of tools that confine the paths of their calls. */
export interface PathOptions {
  /**
   * `workspace`: only paths that, with links resolved, are in the workspace or in one of `roots`. `unrestricted`: every
   * path of this machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
}
