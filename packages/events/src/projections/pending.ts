import type { EventCodec } from '../codec.ts';
import { approvalFact } from '../facts/approval.ts';
import { callFact } from '../facts/call.ts';
import { effectFact } from '../facts/effect.ts';
import { reviewFact, type CallReview } from '../facts/review.ts';
import { settingsFact } from '../facts/settings.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { freezeJson } from '../immutable.ts';
import type { Json } from '../json.ts';
import type { Payload } from '../define-payload.ts';
import type { Projection } from '../fold/projection.ts';
import { callIdOf, isResult, type ResultEvent } from '../messages/results.ts';

/** Call on the active branch without a result, with the facts about it. */
export interface PendingCall {
  readonly event: ActionEvent;
  /** True if the call was resolved and valid, so that it can be executed. */
  readonly isExecutable: boolean;
  /**
   * True if a `varve.call` of this log lists the call: it was stored before it could start. Without an effect it never
   * started.
   */
  readonly wasStoredBeforeStart: boolean;
  /** True if a `varve.effect` was stored: the call may have started, and its outcome is unknown. */
  readonly hasEffect: boolean;
  /** Digest of an approval. It must equal the digest of the stored bytes of the action. */
  readonly approvedDigest?: string;
  /** Action that the approval lets run in place of the stored one; the digest covers it. */
  readonly approvedAction?: Payload;
  /** Directories in which the approval lets a command start; absent: only the workspace. */
  readonly approvedDirectories?: readonly string[];
  /** Review by the policy when the call was stored; absent if it was not rated. */
  readonly review?: CallReview;
}

interface PendingState {
  /** Workspace in which the calls run; approvals do not cover another one. */
  workspace?: string;
  readonly calls: Map<string, PendingCall>;
  /** Ids that a call fact lists and whose actions have not followed yet. */
  readonly listed: Set<string>;
}

/** Pending call in a snapshot. */
type SavedCall = Omit<PendingCall, 'event' | 'wasStoredBeforeStart'> & {
  readonly event: string;
  readonly isListed: boolean;
};

/** Folds the calls of a branch without a result, oldest first. */
export function pendingProjection(codec: EventCodec): Projection<PendingState, readonly PendingCall[]> {
  return {
    name: 'pending',
    version: 4,
    scope: 'branch',
    initial: () => ({ calls: new Map(), listed: new Set() }),
    apply(state, event) {
      if (ActionEvent.is(event)) addCall(state, event);
      else if (isResult(event)) state.calls.delete(answeredActionId(state, event));
      else applyFact(state, event);
      return state;
    },
    read: ({ calls }) => freezeJson([...calls.values()]),
    encode: ({ workspace, calls, listed }) => ({
      ...(workspace !== undefined && { workspace }),
      calls: [...calls.values()].map(({ wasStoredBeforeStart: isListed, approvedAction, ...call }) => ({
        ...call,
        ...(approvedAction && { approvedAction: approvedAction as Json }),
        // Snapshots contain the field under this name.
        isListed,
        event: codec.encode(call.event),
      })),
      listed: [...listed],
    }),
    decode(json) {
      const saved = json as unknown as { workspace?: string; calls: SavedCall[]; listed: string[] };
      const { workspace } = saved;
      const calls = saved.calls.map(({ isListed, ...call }) => ({
        ...call,
        wasStoredBeforeStart: isListed,
        event: codec.decode(call.event) as ActionEvent,
      }));
      return {
        ...(workspace !== undefined && { workspace }),
        calls: new Map(calls.map((call) => [call.event.id, call])),
        listed: new Set(saved.listed),
      };
    },
  };
}

function addCall({ calls, listed }: PendingState, event: ActionEvent): void {
  // A second event with this id must not clear the effect of the first.
  if (calls.has(event.id)) return;
  const wasStoredBeforeStart = listed.delete(event.id);
  calls.set(event.id, {
    event,
    isExecutable: event.action !== undefined,
    wasStoredBeforeStart,
    hasEffect: false,
  });
}

/** An agent error names only a tool call id: it is the result of the oldest pending call with that id. */
function answeredActionId({ calls }: PendingState, result: ResultEvent): string {
  if (!AgentErrorEvent.is(result)) return callIdOf(result);
  const match = [...calls.values()].find(({ event }) => event.tool_call_id === result.tool_call_id);
  return match?.event.id ?? '';
}

function applyFact(state: PendingState, event: Parameters<typeof callFact.read>[0]): void {
  const { calls, listed } = state;
  const workspace = settingsFact.read(event)?.workspace;
  if (workspace !== undefined) {
    const isOther = state.workspace !== undefined && state.workspace !== workspace;
    state.workspace = workspace;
    if (isOther) for (const [id, call] of calls) calls.set(id, withoutApproval(call));
  }
  const call = callFact.read(event);
  if (call && !call.inherited) for (const id of call.actions) listed.add(id);
  const effect = effectFact.read(event);
  if (effect) update(calls, effect.action_id, { hasEffect: true });
  const approval = approvalFact.read(event);
  if (approval) approve(calls, approval);
  for (const { action_id: id, ...review } of reviewFact.read(event)?.calls ?? []) update(calls, id, { review });
}

function approve(
  calls: Map<string, PendingCall>,
  { action_id: id, digest, directories, action }: NonNullable<ReturnType<typeof approvalFact.read>>,
): void {
  const call = calls.get(id);
  if (!call) return;
  const approvedDirectories = directories && { approvedDirectories: directories };
  const approvedAction = action && { approvedAction: action };
  calls.set(id, { ...withoutApproval(call), approvedDigest: digest, ...approvedDirectories, ...approvedAction });
}

function withoutApproval(call: PendingCall): PendingCall {
  const { approvedDigest: _digest, approvedDirectories: _directories, approvedAction: _action, ...rest } = call;
  return rest;
}

function update(calls: Map<string, PendingCall>, id: string, change: Partial<PendingCall>): void {
  const call = calls.get(id);
  if (call) calls.set(id, { ...call, ...change });
}
