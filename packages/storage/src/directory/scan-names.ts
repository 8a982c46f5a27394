import { parseEventName } from './event-name.ts';

/** What a listing of `events/` comes to. */
export interface NameScan {
  /** The log: the name of event 0, 1, 2, … up to the first that is missing. */
  readonly names: readonly string[];
  /** Names beyond the gap, in order; their events are no part of the log. */
  readonly afterGap: readonly string[];
  /** Names that lost their index to one that sorts before them. */
  readonly shadowed: readonly string[];
}

/** Orders the names of events; other names, such as lock files, are passed over. Pure. */
export function scanNames(listing: readonly string[]): NameScan {
  const bySeq = new Map<number, string>();
  const losers: string[] = [];
  for (const name of listing) {
    const seq = parseEventName(name)?.seq;
    if (seq === undefined) continue;
    const other = bySeq.get(seq);
    if (other !== undefined) losers.push(other < name ? name : other);
    if (other === undefined || name < other) bySeq.set(seq, name);
  }
  const names: string[] = [];
  for (let name = bySeq.get(0); name !== undefined; name = bySeq.get(names.length)) names.push(name);
  const beyond = [...bySeq].filter(([seq]) => seq >= names.length).toSorted(([one], [other]) => one - other);
  return { names, afterGap: beyond.map(([, name]) => name), shadowed: losers };
}
