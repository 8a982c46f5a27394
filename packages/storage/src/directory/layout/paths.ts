import { sep } from 'node:path';

/** Paths of the files of one conversation. */
export interface Paths {
  readonly directory: string;
  readonly events: string;
  readonly ownerLease: string;
  readonly baseState: string;
  /** The reference's `meta.json`. */
  readonly meta: string;
  /** Directory `.varve`, for files that only this package reads. */
  readonly own: string;
  readonly ownMeta: string;
  /** Directory of the fields of events whose name and text do not contain them. */
  readonly sidecars: string;
  readonly snapshots: string;
  readonly quarantine: string;
  /** File of the seals and statements. */
  readonly seals: string;
}

/**
 * Returns the paths for the directory of a conversation, which has no separator at its end. The caller checked the id,
 * so no path leaves the root.
 *
 * @see software-agent-sdk openhands/sdk/conversation/state.py, openhands/agent_server/conversation_lease.py (names
 * outside `.varve`)
 */
export function pathsOf(directory: string): Paths {
  // Not `join`, which took half of the time of a listing.
  const ownFiles = `${directory}${sep}.varve`;
  return {
    directory,
    events: `${directory}${sep}events`,
    ownerLease: `${directory}${sep}owner_lease.json`,
    baseState: `${directory}${sep}base_state.json`,
    meta: `${directory}${sep}meta.json`,
    own: ownFiles,
    ownMeta: `${ownFiles}${sep}meta.json`,
    sidecars: `${ownFiles}${sep}labels`,
    snapshots: `${ownFiles}${sep}snapshots`,
    quarantine: `${ownFiles}${sep}quarantine`,
    seals: `${ownFiles}${sep}seals.jsonl`,
  };
}
