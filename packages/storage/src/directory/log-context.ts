import type { EventIndex } from './layout/event-index.ts';
import type { Files } from './layout/files.ts';
import type { Lease } from './lease.ts';
import type { Paths } from './layout/paths.ts';
import type { SealWriter } from './seals/seal-writer.ts';
import type { OnWarning } from './layout/warnings.ts';

/** Parts of an open log that its write operations share. */
export interface LogContext {
  /** Id of the conversation. */
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly index: EventIndex;
  readonly seals: SealWriter;
  /** Reason for opening; a log opened for repair may have lost events or seals. */
  readonly purpose: 'append' | 'repair';
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly warn: OnWarning;
}
