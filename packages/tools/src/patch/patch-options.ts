/** Where a patch tool may work. */
export interface ApplyPatchOptions {
  /**
   * `workspace`: only what lies, links resolved, in the workspace or in one of `roots`. `unrestricted`: every path of this
   * machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
  /** Larger files are not changed. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * The workspace that calls will have. Then a call excludes those that touch the same files, of other tools too; without it,
   * only other patches.
   */
  readonly workspace?: string;
}
