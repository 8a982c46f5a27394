import { join } from 'node:path';
import { type EventLocation, parseEventName, readEventFile } from './event-file.ts';
import type { OnWarning } from './warnings.ts';

/** Classified names in `events/`; the names of the log's events are without broken ones at the end. */
export interface LogNames extends NameScan {
  /** Names at the end of the log whose files do not contain an event, last first. */
  readonly broken: readonly string[];
}

/** Options of `readNames`. */
export interface ReadNamesOptions extends EventLocation {
  readonly id: string;
  readonly warn: OnWarning;
}

/** Lists `events/` and reads only the last files of the log. Changes nothing. */
export function readNames(options: ReadNamesOptions): LogNames {
  const { id, files, paths, warn } = options;
  const { names, afterGap, shadowed } = scanNames(files.list(paths.events));
  const broken: string[] = [];
  for (let last = names.at(-1); last !== undefined; last = names.at(-1 - broken.length)) {
    const event = readEventFile(options, last);
    if (event && !event.isBroken) break;
    broken.push(last);
  }
  for (const name of broken) {
    const path = join(paths.events, name);
    warn({ code: 'broken-event', message: `${path} does not contain an event, so the log ends before it.`, path });
  }
  for (const name of shadowed) {
    const path = join(paths.events, name);
    warn({ code: 'same-index', message: `${path} has the index of another event and is ignored.`, path });
  }
  const [first] = afterGap;
  if (first !== undefined) {
    const missing = `Event ${names.length} of conversation ${id} is missing`;
    const path = join(paths.events, first);
    warn({ code: 'gap', message: `${missing}, so the log ends before it and ${path} is ignored.`, path });
  }
  return { names: names.slice(0, names.length - broken.length), afterGap, broken, shadowed };
}

/** Result of `scanNames`. */
export interface NameScan {
  /** Names of events 0, 1, 2, … up to the first missing one. */
  readonly names: readonly string[];
  /** Names after the gap, in order; their events are not part of the log. */
  readonly afterGap: readonly string[];
  /** Names with the index of another name that sorts before them. */
  readonly shadowed: readonly string[];
}

/** Sorts the names of events by index; ignores other names, such as lock files. Pure. */
export function scanNames(listing: readonly string[]): NameScan {
  const bySeq = new Map<number, string>();
  const shadowed: string[] = [];
  for (const name of listing) {
    const seq = parseEventName(name)?.seq;
    if (seq === undefined) continue;
    const other = bySeq.get(seq);
    if (other !== undefined) shadowed.push(other < name ? name : other);
    if (other === undefined || name < other) bySeq.set(seq, name);
  }
  const names: string[] = [];
  for (let name = bySeq.get(0); name !== undefined; name = bySeq.get(names.length)) names.push(name);
  const afterGap = [...bySeq].filter(([seq]) => seq >= names.length).toSorted(([a], [b]) => a - b);
  return { names, afterGap: afterGap.map(([, name]) => name), shadowed };
}
