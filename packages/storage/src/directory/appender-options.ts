import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { MetaFiles } from './meta-files.ts';
import type { Paths } from './paths.ts';
import type { Place } from './placement.ts';
import type { SealKeeper } from './seal-keeper.ts';
import type { SetAsideOptions } from './set-aside.ts';

/** What appends are made with. */
export interface AppenderOptions extends SetAsideOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly index: EventIndex;
  readonly seals: SealKeeper;
  readonly metaFiles: MetaFiles;
  readonly place: Place;
  /** UTC milliseconds. */
  readonly now: () => number;
}
