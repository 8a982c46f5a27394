import type { Session } from '../../agent/session.ts';
import type { ReviewedCall } from '../../confirmation/gate.ts';
import type { Draft } from '../../log/drafts.ts';
import type { ReplyCall } from '../reply-events.ts';
import { effectDraft } from './execute-call.ts';
import { readAction } from './recovery.ts';

/** A call whose start is stored in the append of its reply. */
export interface StartWithReply {
  readonly id: string;
  readonly draft: Draft;
}

/**
 * Returns the start of the only call of a reply, if it has side effects and nothing is to be decided about it any more:
 * it starts immediately after the reply is stored, so that one append and one wait for the disk are enough. Undefined
 * for all other calls, whose start is stored when their turn comes.
 */
export function startWithReply(
  calls: readonly ReplyCall[],
  reviewed: readonly ReviewedCall[],
  session: Session,
): StartWithReply | undefined {
  const [call] = calls;
  if (call?.kind !== 'valid' || calls.length > 1) return undefined;
  const { id, action, tool } = call;
  // A call in which a secret is masked is read and reviewed again, as it is stored.
  const isDecided = reviewed.every(({ review }) => !review.asks && !review.denies) && session.mask(action) === action;
  if (!isDecided || session.hooks.has('PreToolUse', tool.name)) return undefined;
  return readAction(action, tool)?.effect === 'write'
    ? { id, draft: effectDraft({ id }, tool.sandbox, session) }
    : undefined;
}
