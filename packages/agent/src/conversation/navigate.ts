import { timestamps } from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { AgentError } from '../error.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { planRewind, rewindFiles, type RewindFilesOptions, type RewoundFiles } from './rewind-files.ts';
import { callErrorDraft, nudgeDraft, statusDraft, type Draft } from '../log/drafts.ts';
import type { Session } from '../agent/session.ts';

/** Position before every event, as a state update names it. */
const root = '__root__';

const notExecutedMessage = 'The conversation went back to a point before this call was executed. It was not executed.';
const maybeExecutedMessage =
  'The conversation went back to a point before the result of this call. It may have been executed: check the current state before you repeat it.';

/**
 * Makes another event the last one of the active branch; `undefined` is the position before every event. Nothing is
 * deleted. Calls that are open there are answered, so that no decision made on another branch runs them. The status
 * becomes `idle`. The events of `last` are stored after all others.
 *
 * @throws {AgentError} `invalid` when there is no such event, or nothing can follow it.
 * @see software-agent-sdk navigate_to
 */
export async function navigateTo(
  eventId: string | undefined,
  session: Session,
  last: readonly Draft[] = [],
): Promise<void> {
  const { journal, codec, log } = session;
  await checkEvent(eventId, session);
  const move: Draft = {
    make: (stamp) => ConversationStateUpdateEvent.create({ key: leafKey, value: eventId ?? root }, stamp),
  };
  const preview = conversationTimeline(codec);
  await preview.load((from) => log.range(from));
  const isExtended = preview.push(
    move.make({ id: journal.newId(), timestamp: timestamps(session.now)() }),
    preview.head,
  );
  if (!isExtended) await preview.refold((from) => log.range(from));
  const answers = preview
    .read('pending')
    .map(({ event, hasEffect }) => callErrorDraft(event, hasEffect ? maybeExecutedMessage : notExecutedMessage));
  const isIdle = preview.read('status').execution === 'idle';
  const isLeaf = eventId === journal.timeline.leafId;
  await journal.emit([...(isLeaf ? [] : [move]), ...answers, ...(isIdle ? [] : [statusDraft('idle')]), ...last]);
}

export type { RewoundFiles };

/** Options of `Conversation.navigate`. */
export interface NavigateOptions extends Pick<RewindFilesOptions, 'overwrites'> {
  /** What goes back; default `chat`, which leaves the files as they are. */
  readonly scope?: 'chat' | 'files' | 'both';
  /** Changes nothing; the result is the plan for the files. */
  readonly dryRun?: boolean;
  /** True for files that go back again before the next request: the model reads nothing about it. */
  readonly isTemporary?: boolean;
}

/** Names of files that the model reads. */
const maxNames = 20;

/** Goes back for `Conversation.navigate`. */
export async function goBack(
  eventId: string | undefined,
  session: Session,
  { scope = 'chat', dryRun = false, isTemporary = false, overwrites }: NavigateOptions = {},
): Promise<RewoundFiles> {
  const head = await headAfter(eventId, session);
  const options = { head, ...(overwrites && { overwrites }) };
  const none = { changed: [], left: [] };
  if (dryRun) return { ...(await planRewind(session, options)), ...none };
  if (scope !== 'files') await checkEvent(eventId, session);
  const rewound = scope === 'chat' ? { head, steps: [], gaps: [], ...none } : await rewindFiles(session, options);
  const { changed } = rewound;
  const more = changed.length > maxNames ? ` and ${changed.length - maxNames} more` : '';
  const names = `${changed.slice(0, maxNames).join(', ')}${more}`;
  const line = `The user set files of the workspace back to what they were at an earlier point: ${names}. Read them again.`;
  const notes = changed.length > 0 && !isTemporary ? [nudgeDraft(line)] : [];
  if (scope !== 'files') await navigateTo(eventId, session, notes);
  else if (notes.length > 0) await session.journal.emit(notes);
  return rewound;
}

/** Returns the number of events up to one; 0 for the position before every event. @throws {AgentError} `invalid`. */
export async function headAfter(eventId: string | undefined, { log }: Session): Promise<number> {
  const seq = eventId === undefined ? -1 : await log.seqOf(eventId);
  if (seq === undefined) throw new AgentError('invalid', `There is no event ${eventId} in conversation ${log.id}.`);
  return seq + 1;
}

async function checkEvent(eventId: string | undefined, session: Session): Promise<void> {
  if (eventId === undefined) return;
  const { log, codec } = session;
  const { kind } = await log.at((await headAfter(eventId, session)) - 1);
  if (codec.kind(kind)?.movesHead !== false) return;
  throw new AgentError('invalid', `Event ${eventId} is a ${kind}, which nothing can follow.`);
}
