import { join, relative, resolve } from 'node:path';
import { TerminalAction, type Payload } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import { realPathOf } from '@varve/tools';
import { type ProposedCall } from '../../commands/proposed-call.ts';
import { placedCommands } from '../../commands/call-facts.ts';
import type { Session } from '../../agent/session.ts';

/** What a policy needs to know of a call. */
type KnownCall = Pick<ProposedCall, 'tool' | 'action' | 'risk'>;

/** Returns calls as a policy reviews them: with the directories in which their commands may start. */
export function proposedCalls<Call extends KnownCall>(
  calls: readonly Call[],
  { workspace, journal }: Session,
): readonly (Call & ProposedCall)[] {
  const left = journal.timeline.read('directories').flatMap((directory) => [directory, realPathOf(directory)]);
  const directories = new Set(left.map((directory) => inWorkspace(directory, workspace)));
  if (directories.size === 0) directories.add('.');
  return calls.map((known) => {
    const { action } = known;
    // A shell that is reset starts in the workspace.
    if (TerminalAction.is(action) && action.reset) directories.add('.');
    const isOnlyWorkspace = directories.size === 1 && directories.has('.');
    const places = { workspace, directories: isOnlyWorkspace ? [] : [...directories] };
    // The next command of this reply may start where this one ends, or where it began if it fails.
    for (const directory of directoriesAfter(action, places)) directories.add(inWorkspace(directory, workspace));
    return { ...known, ...places };
  });
}

/** Returns the directories, absolute, in which a plain script may leave the shell. */
function directoriesAfter(
  action: Payload,
  places: { readonly workspace: string; readonly directories: readonly string[] },
): readonly string[] {
  if (!TerminalAction.is(action) || action.is_input) return [];
  // After the last command there is one more, which may run anywhere that one of them changed to.
  return placedCommands(`${action.command}\ntrue`, places)?.at(-1)?.directories ?? [];
}

/** Returns a directory of the workspace relative to it, and any other one as it is. */
function inWorkspace(directory: string, workspace: string): string {
  if (directory.startsWith('~')) return directory;
  const inside = relative(workspace, resolve(directory));
  return inside === '' ? '.' : inside.startsWith('..') ? directory : join(inside);
}

/** Returns the directories in which the commands of calls may start, for `Conversation.startDirectories`. */
export function startDirectories(
  calls: readonly PendingCall[],
  session: Session,
): ReadonlyMap<string, readonly string[]> {
  const known = calls.flatMap(
    ({ event: { id, action: stored, tool_name: name, security_risk: risk }, approvedAction }) => {
      const action = approvedAction ?? stored;
      const tool = session.tools.get(name);
      return action && tool ? [{ id, tool, action, risk }] : [];
    },
  );
  return new Map(proposedCalls(known, session).map(({ id, directories = [] }) => [id, directories]));
}
