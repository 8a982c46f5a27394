import type { PathOptions } from '../files/path-options.ts';
import type { Redactor } from '@varve/text';

/** Options of {@link fileEditor}. */
export interface FileEditorOptions extends PathOptions {
  /** Maximum size of an edited file. Of larger files only ranges of lines can be viewed. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Directory of the undo history, which makes undo work in later processes too: an absolute path, used only by this
   * tool of this conversation. Default: the history is kept in memory.
   */
  readonly historyDir?: string;
  /** Maximum length of a view, in UTF-16 units. Default: 16 000. */
  readonly maxViewChars?: number;
  /**
   * Masks secrets in views before they are numbered and cut. Default: nothing is masked here, and part of a secret that
   * is divided by a cut, a range or the numbers of lines is not recognized later.
   */
  readonly redactor?: Pick<Redactor, 'lines'>;
}
