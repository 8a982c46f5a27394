import { normalize } from 'node:path/posix';
import { isCovered, suggestedRules, type PermissionRule } from '@varve/agent/confirmation';
import type { ActionEvent } from '@varve/events/kinds';
import { FileEditorAction, TerminalAction } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';

/** Call that waits for a person. */
export type WaitingCall = Pick<PendingCall, 'event' | 'review' | 'approvedAction'>;

/** Returns the event of a call with the action that would run: a person may have changed its arguments. */
export function eventToRun({ event, approvedAction }: WaitingCall): ActionEvent {
  return approvedAction ? { ...event, action: approvedAction } : event;
}

/** Where a call would run. */
export interface CallPlace {
  readonly workspace: string;
  /** Directories other than the workspace in which a command may start; undefined if they are not known. */
  readonly directories: readonly string[] | undefined;
}

/** Reports whether a person is asked about a call. Without a stored review, every call of its reply is asked about. */
export function isAsked({ review }: WaitingCall): boolean {
  return review?.asks ?? true;
}

/**
 * Returns the rules that "always" adds for a call; empty if no rule can cover it, one decided that it waits, or a
 * person changed its arguments.
 */
export function proposedRules(
  { event, review, approvedAction }: WaitingCall,
  { workspace, directories }: CallPlace,
): readonly PermissionRule[] {
  if (!event.action || !directories || review?.rule !== undefined || approvedAction) return [];
  return suggestedRules({ toolName: event.tool_name, action: event.action, workspace, directories });
}

/** Reports whether rules that were added after a call was stored cover it. */
export function isCoveredBy(
  rules: readonly PermissionRule[],
  call: WaitingCall,
  { workspace, directories }: CallPlace,
): boolean {
  const { event, review } = call;
  if (!event.action || !directories || review?.rule !== undefined || changesConfiguration(call)) return false;
  return isCovered(rules, { toolName: event.tool_name, action: event.action, workspace, directories });
}

/** Reports whether a person must see each such call: it may change what agents or git run. */
function changesConfiguration({ review }: WaitingCall): boolean {
  return review?.verdict?.reasons.some(({ rule }) => rule === 'config.write') ?? false;
}

/** Calls that an approval for the session covers. */
export interface SessionGrant {
  /** Equal for the calls that are covered. */
  readonly key: string;
  /** Describes them, as in "approve … for this session". */
  readonly covers: string;
}

/**
 * Returns what an approval of a call for the session covers: the same command of the terminal where it may start in the
 * same directories, the same edit command on the same file, or the same arguments of another tool; of a call that may
 * change what agents or git run, only the same arguments. Input for a running program has no meaning of its own, so it
 * is never covered; nor are arguments that a person changed.
 */
export function sessionGrant(waiting: WaitingCall, { workspace, directories }: CallPlace): SessionGrant | undefined {
  const { event, approvedAction } = waiting;
  if (approvedAction) return undefined;
  const { tool_name: tool, tool_call: call } = event;
  const terminal = TerminalAction.read(event.action);
  if (terminal) {
    if (terminal.is_input || !directories) return undefined;
    // Blanks count, too: some end a file name, and others are no blanks for a shell.
    const where = [workspace, ...directories.toSorted()];
    const key = JSON.stringify([tool, terminal.command, terminal.reset, where]);
    return { key, covers: 'exactly this command, in this directory' };
  }
  const edit = FileEditorAction.read(event.action);
  if (edit && !changesConfiguration(waiting)) {
    const path = normalize(edit.path);
    return { key: JSON.stringify([tool, edit.command, path, workspace]), covers: `every ${edit.command} of this file` };
  }
  return { key: JSON.stringify([tool, call.arguments, workspace]), covers: `exactly this call of ${tool}` };
}
