import { join } from 'node:path';

/** Where the files of one conversation lie. */
export interface Paths {
  readonly directory: string;
  readonly events: string;
  readonly ownerLease: string;
  readonly baseState: string;
  /** The reference's `meta.json`. */
  readonly meta: string;
  /** The directory of everything that only this package reads. */
  readonly own: string;
  readonly ownMeta: string;
  readonly labels: string;
  readonly snapshots: string;
  readonly quarantine: string;
  /** The seals of the events, and statements about them. */
  readonly seals: string;
}

/**
 * Names the files of the conversation in this directory. The id in it was checked: nothing leads out of the root.
 *
 * @see software-agent-sdk openhands/sdk/conversation/state.py, openhands/agent_server/conversation_lease.py (the names
 * outside of `.varve`)
 */
export function pathsOf(directory: string): Paths {
  const own = join(directory, '.varve');
  return {
    directory,
    events: join(directory, 'events'),
    ownerLease: join(directory, 'owner_lease.json'),
    baseState: join(directory, 'base_state.json'),
    meta: join(directory, 'meta.json'),
    own,
    ownMeta: join(own, 'meta.json'),
    labels: join(own, 'labels'),
    snapshots: join(own, 'snapshots'),
    quarantine: join(own, 'quarantine'),
    seals: join(own, 'seals.jsonl'),
  };
}
