import type { SealedOnce } from '../../contract/log-proof.ts';
import { factsOf } from '../../kit/facts.ts';
import type { EventIndex } from '../layout/event-index.ts';
import type { Files } from '../layout/files.ts';
import type { Paths } from '../layout/paths.ts';
import { sealsHeader } from './seal-lines.ts';

// The seals of a directory are in one file, which may be deleted or cut. What they covered is therefore recorded in
// other places too: in the claim of the lease, in the file that releases it, and, for the beginning, in the log.

/** Number of events searched for a fact of varve. */
const searchedEvents = 16;

/** Files and names of one log. */
export interface SealedLog {
  readonly files: Files;
  readonly paths: Paths;
  readonly index: Pick<EventIndex, 'head' | 'page'>;
}

/** Returns the end of the events that were sealed once, from the lease, or from files and events of this package. */
export function sealedOnce(log: SealedLog, sealed: SealedOnce | undefined): SealedOnce | undefined {
  if (sealed && sealed.head > 0) return sealed;
  const { files, paths, index } = log;
  if (index.head === 0) return undefined;
  const text = files.read(paths.seals)?.toString() ?? '';
  // With its first line the file is as old as the log: a crash may have left it without seals.
  if (text.startsWith(sealsHeader) || text.includes('"seal"')) return undefined;
  if (files.status(paths.ownMeta)) return { head: 1, seal: undefined };
  const events = index.page(0, Math.min(searchedEvents, index.head));
  const fact = events.findLast((event) => factsOf(event).length > 0);
  return fact && { head: fact.seq + 1, seal: undefined };
}
