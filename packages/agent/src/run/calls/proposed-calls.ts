import { join, relative, resolve } from 'node:path';
import { TerminalAction, type Payload } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { SecurityRisk } from '@varve/events/kinds';
import { realPathOf, type Tool } from '@varve/tools';
import type { ProposedCall } from '../../risk/risk-analyzer.ts';
import { readTerminal } from '../../shell/read-terminal.ts';
import type { Session } from '../../agent/session.ts';

/** A call with what policies review. */
interface Reviewed {
  readonly tool: Tool;
  readonly action: Payload;
  readonly risk: SecurityRisk;
}

/** Returns calls as a policy reviews them: with the directories in which their commands may start. */
export function proposedCalls(calls: readonly Reviewed[], { workspace, journal }: Session): readonly ProposedCall[] {
  const left = journal.timeline.read('directories').flatMap((directory) => [directory, realPathOf(directory)]);
  const directories = new Set(left.map((directory) => inWorkspace(directory, workspace)));
  if (directories.size === 0) directories.add('.');
  return calls.map(({ tool, action, risk }) => {
    // A shell that is reset starts in the workspace.
    if (TerminalAction.is(action) && action.reset) directories.add('.');
    const isOnlyWorkspace = directories.size === 1 && directories.has('.');
    const call = { tool, action, risk, workspace, directories: isOnlyWorkspace ? [] : [...directories] };
    // The next command of this reply may start where this one ends, or where it began if it fails.
    if (TerminalAction.is(action)) for (const one of readTerminal(call)?.directories ?? []) directories.add(one);
    return call;
  });
}

/** Returns a directory of the workspace relative to it, and any other one as it is. */
function inWorkspace(directory: string, workspace: string): string {
  const inside = relative(workspace, resolve(directory));
  return inside === '' ? '.' : inside.startsWith('..') ? directory : join(inside);
}

/**
 * Returns the directories in which the command of each call may start, by the ids of the events of the calls: absolute,
 * or relative to the workspace; none if it starts in the workspace.
 */
export function startDirectories(
  calls: readonly PendingCall[],
  session: Session,
): ReadonlyMap<string, readonly string[]> {
  const known = calls.flatMap(({ event: { id, action, tool_name: name, security_risk: risk } }) => {
    const tool = session.tools.get(name);
    return action && tool ? [{ id, tool, action, risk }] : [];
  });
  const proposed = proposedCalls(known, session);
  return new Map(known.map(({ id }, index) => [id, proposed[index]?.directories ?? []]));
}
