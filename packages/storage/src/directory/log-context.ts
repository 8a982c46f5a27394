import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { Paths } from './paths.ts';
import type { SealWriter } from './seals.ts';
import type { OnWarning } from './warnings.ts';

/** Parts of an open log that its write operations share. */
export interface LogContext {
  /** Id of the conversation. */
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly index: EventIndex;
  readonly seals: SealWriter;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly warn: OnWarning;
}
