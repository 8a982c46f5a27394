import { join } from 'node:path';
import type { LogLoss } from '../contract/loss.ts';
import { missingMessage } from '../kit/missing-message.ts';
import { parseEventName } from './layout/event-file.ts';
import type { Paths } from './layout/paths.ts';
import type { LogNames } from './layout/list-events.ts';

/** State of a log's files, from which a loss of events can be derived. */
export interface LogFiles {
  readonly id: string;
  readonly paths: Pick<Paths, 'events' | 'quarantine'>;
  readonly names: LogNames;
  /** Number of events that were sealed at any time. */
  readonly sealedHead: number;
  /** True if an append of this package may have been interrupted since the log was last closed. */
  readonly isInterruptible: boolean;
}

/**
 * Describes the loss of events; `undefined` if no event is lost. An append links its events in order, syncs their
 * names, and seals them then. A crash therefore leaves a gap only among unsealed events, since a power failure may keep
 * any of the unsynced names, and never two files with one index. A file that is cut off at the unsealed end was written
 * by another program.
 */
export function lossOf(log: LogFiles): LogLoss | undefined {
  const { names, sealedHead, isInterruptible } = log;
  const head = names.names.length;
  const [first] = names.afterGap;
  const lastSeq = parseEventName(names.afterGap.at(-1) ?? '')?.seq ?? -1;
  const end = Math.max(sealedHead, lastSeq + 1, head + names.broken.length);
  const isMissing = head < sealedHead || (first !== undefined && !isInterruptible);
  if (isMissing && names.broken.length > 0) return unreadable(log, end);
  if (isMissing) return missing(log, end);
  return names.shadowed.length > 0 ? duplicate(log) : undefined;
}

function unreadable({ id, paths: { events, quarantine }, names }: LogFiles, end: number): LogLoss {
  const seq = names.names.length;
  const kept = names.broken.length + names.afterGap.length;
  const broken = join(events, names.broken.at(-1) ?? '');
  const message = `Conversation ${id} ends at event ${seq} of ${end}: ${broken} does not contain an event.`;
  return { seq, end, reason: 'unreadable', kept, place: events, quarantine, message };
}

function missing({ id, paths: { events, quarantine }, names }: LogFiles, end: number): LogLoss {
  const seq = names.names.length;
  const kept = names.afterGap.length;
  const next = kept > 0 ? (parseEventName(names.afterGap[0] ?? '')?.seq ?? end) : end;
  const message = missingMessage({ id, seq, next, kept, place: events });
  return { seq, end, reason: 'missing', kept, place: events, quarantine, message };
}

function duplicate({ id, paths: { events, quarantine }, names }: LogFiles): LogLoss {
  const seqs = names.shadowed.map((name) => parseEventName(name)?.seq ?? Infinity);
  const seq = seqs.reduce((a, b) => Math.min(a, b), Infinity);
  const head = names.names.length;
  const message = `Event ${seq} of conversation ${id} is stored twice in ${events}, with different names.`;
  return { seq, end: head, reason: 'duplicate', kept: names.shadowed.length, place: events, quarantine, message };
}
