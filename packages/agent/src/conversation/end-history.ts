import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { ExecutionStatus } from '@varve/events/projections';
import type { EventLog } from '@varve/storage';
import { withoutUndefined } from '@varve/text';
import { readMeta, titleFrom } from '../log/conversation-meta.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { callErrorDraft, forkEndDraft, importDraft, statusDraft } from '../log/drafts.ts';
import { Journal, type JournalOptions } from '../log/journal.ts';
import { firstUserText, lastTimestamp } from '../log/read-log.ts';

/** Options of {@link endHistory}. */
export interface EndHistoryOptions extends Pick<JournalOptions, 'now' | 'signer' | 'newId'> {
  readonly title: { readonly title?: string };
  /** Last seal of the events, if they are sealed. */
  readonly seal: string | undefined;
  /** Answer to each call without a result. */
  readonly answer: string;
}

/** Statuses of work that another process had in progress. */
const activeStatuses = new Set<ExecutionStatus>(['running', 'waiting_for_confirmation']);

/**
 * Appends the boundary that makes the events of a log history, and answers its open calls: nothing in it approves,
 * runs or sets anything from then on. Of its `meta` only the title is kept. Resolves with the number of open calls.
 */
export async function endHistory(
  log: EventLog,
  { title, seal, answer, now, ...options }: EndHistoryOptions,
): Promise<number> {
  const codec = eventCodec(builtinKinds);
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(from));
  const suggested = titleFrom((await firstUserText(log, codec)) ?? '');
  const journal = new Journal({
    log,
    codec,
    timeline,
    mask: (value) => value,
    metaOf: ({ execution, title: set }) => ({
      ...withoutUndefined({ title: set ?? suggested }),
      ...title,
      status: execution,
    }),
    now,
    ...options,
    ...withoutUndefined({ lastTimestamp: await lastTimestamp(log, codec) }),
  });
  const open = timeline.read('pending');
  const { fork } = timeline.read('settings');
  const at = Math.floor(now());
  await journal.emit([
    // What it lacks is in another store, or lost.
    ...(fork ? [forkEndDraft(fork.id, at)] : []),
    importDraft({ events: timeline.head, at, ...(seal !== undefined && { seal }) }),
    ...open.map(({ event }) => callErrorDraft(event, answer)),
    ...(activeStatuses.has(timeline.read('status').execution) ? [statusDraft('idle')] : []),
  ]);
  return open.length;
}

const maxTitle = 200;

/** Returns the title in a `meta`, of limited length. */
export function titleOf(meta: Json): { readonly title?: string } {
  const { title } = readMeta(meta);
  return title === undefined ? {} : { title: title.slice(0, maxTitle) };
}
