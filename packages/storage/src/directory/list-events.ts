import { join } from 'node:path';
import { type EventLocation, parseEventName, readEventFile } from './event-file.ts';
import type { DirectoryWarning } from './warnings.ts';

/** The names in `events/`, told apart. */
export interface LogNames {
  /** The log, up to the first gap, without broken events at its end. */
  readonly names: readonly string[];
  /** Names of events beyond the gap. */
  readonly afterGap: readonly string[];
  /** Names at the end of the log whose files hold no event, the last first. */
  readonly broken: readonly string[];
  /** Names that lost their index to one that sorts before them. */
  readonly shadowed: readonly string[];
}

/** What to read, and whom to tell. */
export interface ReadNamesOptions extends EventLocation {
  readonly id: string;
  readonly warn: (warning: DirectoryWarning) => void;
}

/** Lists `events/` and, of all contents, reads only those at the end of the log. Changes nothing. */
export function readNames(options: ReadNamesOptions): LogNames {
  const { id, files, paths, warn } = options;
  const { names, afterGap: beyond, shadowed: losers } = scanNames(files.list(paths.events));
  const broken: string[] = [];
  for (let last = names.at(-1); last !== undefined; last = names.at(-1 - broken.length)) {
    const event = readEventFile(options, last);
    if (event && !event.isBroken) break;
    broken.push(last);
  }
  for (const name of broken) {
    const path = join(paths.events, name);
    warn({ code: 'broken-event', message: `${path} holds no event, so the log ends before it.`, path });
  }
  for (const name of losers) {
    const path = join(paths.events, name);
    warn({ code: 'same-index', message: `${path} has the index of another event and is passed over.`, path });
  }
  const [first] = beyond;
  if (first !== undefined) {
    const missing = `Event ${names.length} of conversation ${id} is missing`;
    const path = join(paths.events, first);
    warn({ code: 'gap', message: `${missing}, so the log ends before it and ${path} is passed over.`, path });
  }
  return { names: names.slice(0, names.length - broken.length), afterGap: beyond, broken, shadowed: losers };
}

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
