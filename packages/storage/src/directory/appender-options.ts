import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { MetaFiles } from './meta-files.ts';
import type { Paths } from './paths.ts';
import type { LinkFile } from './placement.ts';
import type { SealWriter } from './seal-keeper.ts';
import type { QuarantineOptions } from './set-aside.ts';

/** What appends are made with. */
export interface AppenderOptions extends QuarantineOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly index: EventIndex;
  readonly seals: SealWriter;
  readonly metaFiles: MetaFiles;
  readonly linkFile: LinkFile;
  /** UTC milliseconds. */
  readonly now: () => number;
}
