import { EventError } from '@varve/events';
import { approvalFact } from '@varve/events/facts';
import { TerminalAction, type Payload } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import { ToolError } from '@varve/tools';
import { approvalDigest, callsDigest, isApproved } from '../../confirmation/gate.ts';
import { AgentError } from '../../error.ts';
import { rejectionDraft, statusDraft, type Draft } from '../../log/drafts.ts';
import type { Session } from '../../agent/session.ts';
import { endsRun } from './ends-run.ts';
import { startDirectories } from './proposed-calls.ts';

/** Approved calls, and who approved them. */
export interface Approval {
  /** Ids of action events; default all pending calls. */
  readonly actionIds?: readonly string[];
  /**
   * Digest of the calls that the person saw (`Conversation.digestOf`), or at least its first 16 digits. Without it,
   * everything that is pending is approved, whether or not it was shown.
   */
  readonly digest?: string;
  /**
   * Arguments that run in place of those of the one call, as a model would pass them. The call is rejected, and the
   * reason contains these arguments and their result. Deny rules and hooks apply to them. Without them an approval
   * keeps those of an earlier one.
   */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Default `user`. */
  readonly by?: string;
}

/** Approves calls for `Conversation.approve`, commands in the directories in which they may start now. */
export async function approveCalls(approval: Approval, session: Session): Promise<void> {
  const { actionIds, digest, by = 'user' } = approval;
  const { journal, codec, now } = session;
  await journal.emit(() => {
    const calls = selectPending(session, actionIds);
    if (digest !== undefined) checkDigest(digest, calls, session);
    const changed = approval.arguments && changedAction(approval.arguments, calls, session);
    const places = startDirectories(journal.timeline.read('pending'), session);
    return calls.map(({ event, approvedAction }): Draft => {
      const directories = TerminalAction.is(event.action) ? (places.get(event.id) ?? []) : [];
      const place = directories.length > 0 && { directories: [...directories] };
      const action = changed ?? approvedAction;
      const approved = approvalDigest(codec, event, action);
      const value = { action_id: event.id, digest: approved, by, at: now(), ...place, ...(action && { action }) };
      return { make: (stamp) => approvalFact.create(value, stamp) };
    });
  });
}

/** Returns the action with other arguments for the only call, as it is stored. */
function changedAction(fields: object, calls: readonly PendingCall[], session: Session): Payload {
  const { tools, mask, executing } = session;
  const [call] = calls;
  const tool = call && tools.get(call.event.tool_name);
  // The client runs a call of its own tools as it is stored.
  const isFixed = tool?.definition['kind'] === 'ClientTool' || endsRun(call?.event.action, tool);
  const hasStarted = call && (call.hasEffect || executing.has(call.event.id));
  if (!tool || calls.length > 1 || hasStarted || isFixed) {
    const names = calls.map(({ event }) => event.tool_name).join(', ');
    throw new AgentError('invalid', `The arguments of ${names} cannot be changed.`);
  }
  const input = tool.parse(fields);
  try {
    return mask(tool.toAction(input));
  } catch (error) {
    // Valid arguments may still not fit a log, for example nested a thousand levels deep.
    if (error instanceof EventError) throw new ToolError('invalid-input', error.message, { cause: error });
    throw error;
  }
}

/** Shorter digests could be met by calls that were written to have them. */
const minDigestLength = 16;

function checkDigest(digest: string, calls: readonly PendingCall[], { codec, conversationId }: Session): void {
  if (!/^[0-9a-f]*$/.test(digest) || digest.length < minDigestLength || digest.length > 64) {
    const what = `${JSON.stringify(digest)} is not a digest of ${minDigestLength} to 64 hex digits`;
    throw new AgentError('invalid', `${what}.`);
  }
  if (callsDigest(codec, calls).startsWith(digest)) return;
  const what = `The pending calls of conversation ${conversationId} are not the approved ones`;
  throw new AgentError('calls-changed', `${what}, whose digest is ${digest}.`);
}

/** Rejects calls for `Conversation.reject`. */
export async function rejectCalls(reason: string, session: Session, actionIds?: readonly string[]): Promise<void> {
  const { journal } = session;
  await journal.emit(() => {
    const open = selectPending(session).filter(({ hasEffect }) => !hasEffect);
    const rejected = selectPending(session, actionIds).filter(({ hasEffect }) => !hasEffect);
    if (rejected.length === 0 || (actionIds && rejected.length < new Set(actionIds).size)) {
      throw new AgentError('nothing-pending', `Conversation ${session.conversationId} has no pending call.`);
    }
    const drafts = rejected.map(({ event }) => rejectionDraft(event, reason));
    const isWaiting = journal.timeline.read('status').execution === 'waiting_for_confirmation';
    // The others still wait.
    return [...drafts, ...(isWaiting && rejected.length === open.length ? [statusDraft('idle')] : [])];
  });
}

/** Returns rejections of the calls that have not started, since a started call may have run, and are not approved. */
export function rejectionDrafts({ journal, codec }: Session, reason: string): readonly Draft[] {
  const open = journal.timeline.read('pending').filter((call) => !call.hasEffect && !isApproved(codec, call));
  return open.map(({ event }) => rejectionDraft(event, reason));
}

function selectPending({ journal, conversationId }: Session, actionIds?: readonly string[]): readonly PendingCall[] {
  const pending = journal.timeline.read('pending');
  const unknown = actionIds?.find((id) => !pending.some(({ event }) => event.id === id));
  if (unknown !== undefined || pending.length === 0) {
    const what = unknown === undefined ? 'no pending call' : `no pending call ${unknown}`;
    throw new AgentError('nothing-pending', `Conversation ${conversationId} has ${what}.`);
  }
  return actionIds ? pending.filter(({ event }) => actionIds.includes(event.id)) : pending;
}
