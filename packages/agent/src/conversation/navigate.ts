import { timestamps } from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { LogReader } from '@varve/storage';
import { conversationTimeline } from '../log/conversation-state.ts';
import { callErrorDraft, statusDraft, type Draft } from '../log/drafts.ts';
import { AgentError } from '../error.ts';
import type { Session } from '../session.ts';

/** The place before every event, as a state update names it. */
const root = '__root__';

/**
 * Makes another event of the tree the last one of the active branch, or none with `undefined`: what comes next goes on from
 * there, and nothing is lost. Calls that are open there are answered, so that nothing happens that somebody decided about
 * on another branch. The status becomes `idle`.
 *
 * @throws {AgentError} `invalid` when there is no such event, or it is one that nothing can follow.
 * @see software-agent-sdk navigate_to
 */
export async function navigateTo(eventId: string | undefined, log: LogReader, session: Session): Promise<void> {
  const { journal, codec } = session;
  await checkEvent(eventId, log, session);
  const move: Draft = {
    make: (stamp) => ConversationStateUpdateEvent.create({ key: leafKey, value: eventId ?? root }, stamp),
  };
  const preview = conversationTimeline(codec);
  await preview.load((from) => log.range(from));
  const moved = preview.push(move.make({ id: journal.newId(), timestamp: timestamps(session.now)() }), preview.head);
  if (!moved) await preview.refold((from) => log.range(from));
  const answers = preview
    .read('pending')
    .map(({ event, hasEffect }) => callErrorDraft(event, hasEffect ? maybeExecutedMessage : notExecutedMessage));
  const isIdle = preview.read('status').execution === 'idle';
  const isThere = eventId === journal.timeline.leafId;
  await journal.emit([...(isThere ? [] : [move]), ...answers, ...(isIdle ? [] : [statusDraft('idle')])]);
}

const notExecutedMessage = 'The conversation went back to before this call was carried out. It was not executed here.';
const maybeExecutedMessage =
  'The conversation went back to before the result of this call. It may have been carried out: look at the present state before you repeat it.';

async function checkEvent(eventId: string | undefined, log: LogReader, { codec }: Session): Promise<void> {
  if (eventId === undefined) return;
  const seq = await log.seqOf(eventId);
  if (seq === undefined) throw new AgentError('invalid', `There is no event ${eventId} in conversation ${log.id}.`);
  const { kind } = await log.at(seq);
  if (codec.kind(kind)?.movesHead !== false) return;
  throw new AgentError('invalid', `Event ${eventId} is a ${kind}, which nothing can follow.`);
}
