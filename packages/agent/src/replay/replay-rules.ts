import { eventCodec } from '@varve/events';
import { approvalFact, reviewFact, settingsFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  builtinKinds,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import {
  ApplyPatchAction,
  FileEditorAction,
  GlobAction,
  GrepAction,
  PlanningFileEditorAction,
  TerminalAction,
  type Payload,
} from '@varve/events/payloads';
import type { LogReader } from '@varve/storage';
import { directoriesProjection } from '../log/projections/directories-projection.ts';
import type { PermissionRule } from '../permissions/permission-rule.ts';
import { protectedFinding } from '../permissions/protected-paths.ts';
import { ruleDecision } from '../permissions/rule-decision.ts';

/** Call of a log: what rules would have decided about it, and what really happened. */
export interface RuledCall {
  readonly seq: number;
  readonly event: ActionEvent;
  /** Absent if no rule matches. */
  readonly decision?: PermissionRule['decision'];
  /** `ran` without a question, or after an `approved` one; `denied` by a rule or a hook, `refused` by a person. */
  readonly happened: 'ran' | 'approved' | 'failed' | 'denied' | 'refused' | 'nothing';
}

/**
 * Returns the calls of a log, and what rules would have decided about them, as if no others existed. Links are resolved
 * as they are now.
 */
export async function replayRules(log: LogReader, rules: readonly PermissionRule[]): Promise<readonly RuledCall[]> {
  const codec = eventCodec(builtinKinds);
  const calls = new Map<string, { -readonly [Field in keyof RuledCall]: RuledCall[Field] }>();
  const approved = new Set<string>();
  let workspace = '/';
  let shells = directoriesProjection.initial();
  for await (const { seq, text } of log.range(0)) {
    const event = codec.read(text);
    workspace = settingsFact.read(event)?.workspace ?? workspace;
    shells = directoriesProjection.apply(shells, event, seq);
    approved.add(approvalFact.read(event)?.action_id ?? '');
    for (const { action_id: id, denies } of reviewFact.read(event)?.calls ?? []) {
      const call = calls.get(id);
      if (call && denies) call.happened = 'denied';
    }
    const action = ActionEvent.is(event) ? readAction(event.action) : undefined;
    if (ActionEvent.is(event) && action) {
      // The walls of a sandbox are known when a call starts: without them, a rule is at least as strict.
      const tool = { name: event.tool_name, annotations: {} };
      const named = { tool, action, workspace, directories: directoriesProjection.read(shells) };
      const ruled = ruleDecision(rules, named)?.decision;
      const decision = ruled === 'allow' && protectedFinding(named, []) ? 'ask' : ruled;
      calls.set(event.id, { seq, event, happened: 'nothing', ...(decision && { decision }) });
    }
    const call = ObservationEvent.is(event) || UserRejectObservation.is(event) ? calls.get(event.action_id) : undefined;
    if (call && ObservationEvent.is(event)) call.happened = approved.has(call.event.id) ? 'approved' : 'ran';
    if (call && UserRejectObservation.is(event) && call.happened === 'nothing')
      call.happened = event.rejection_source === 'hook' ? 'denied' : 'refused';
    if (!AgentErrorEvent.is(event)) continue;
    const failed = [...calls.values()].findLast((each) => each.event.tool_call_id === event.tool_call_id);
    if (failed?.happened === 'nothing') failed.happened = 'failed';
  }
  return [...calls.values()];
}

const read = [
  TerminalAction,
  FileEditorAction,
  PlanningFileEditorAction,
  GlobAction,
  GrepAction,
  ApplyPatchAction,
] as const;

/** Returns the payload of a call; undefined if its fields are not those of its kind. */
function readAction(stored: ActionEvent['action']): Payload | undefined {
  const kind = stored && read.find((payload) => payload.is(stored));
  return (kind ? kind.read(stored) : stored) ?? undefined;
}
