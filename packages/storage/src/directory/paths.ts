import { sep } from 'node:path';

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
  readonly sidecars: string;
  readonly snapshots: string;
  readonly quarantine: string;
  /** The seals of the events, and statements about them. */
  readonly seals: string;
}

/**
 * Names the files of the conversation in this directory, a path without a separator at its end. The id in it was
 * checked: nothing leads out of the root.
 *
 * @see software-agent-sdk openhands/sdk/conversation/state.py, openhands/agent_server/conversation_lease.py (the names
 * outside of `.varve`)
 */
export function pathsOf(directory: string): Paths {
  // Not `join`, which a listing would spend half of its time in.
  const own = `${directory}${sep}.varve`;
  return {
    directory,
    events: `${directory}${sep}events`,
    ownerLease: `${directory}${sep}owner_lease.json`,
    baseState: `${directory}${sep}base_state.json`,
    meta: `${directory}${sep}meta.json`,
    own,
    ownMeta: `${own}${sep}meta.json`,
    sidecars: `${own}${sep}labels`,
    snapshots: `${own}${sep}snapshots`,
    quarantine: `${own}${sep}quarantine`,
    seals: `${own}${sep}seals.jsonl`,
  };
}
