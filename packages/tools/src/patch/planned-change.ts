import type { Stats } from 'node:fs';

/** One file to write or to remove. */
export interface PlannedChange {
  /** Links resolved. */
  readonly real: string;
  /** What is there now; undefined when nothing is. */
  readonly before: Buffer | undefined;
  /** What should be there; undefined to remove the file. */
  readonly after: Buffer | undefined;
  /** Whose mode and owner a written file gets. */
  readonly previous: Stats | undefined;
}
