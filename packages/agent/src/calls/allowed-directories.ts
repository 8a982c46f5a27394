import { resolve } from 'node:path';
import type { CallReview } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { isApproved } from '../confirmation/gate.ts';
import type { Session } from '../session.ts';
import { runnableCalls } from './changed-reviews.ts';
import type { RunnableCall } from './recovery.ts';

/**
 * Returns the directories in which the commands of calls may start, absolute or below `~`, by the ids of their events:
 * those that a person approved, and those for which a rule allowed the command. Commands about which neither decided
 * may start anywhere.
 */
export function allowedDirectories(
  calls: readonly RunnableCall[],
  reviews: readonly (CallReview | undefined)[],
  session: Session,
): ReadonlyMap<string, readonly string[]> {
  const { codec, journal, workspace } = session;
  const commands = calls.filter(({ event }) => TerminalAction.is(event.action));
  if (commands.length === 0) return new Map();
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  const proposed = runnableCalls(calls, session);
  const allowed = calls.flatMap(({ event }, index) => {
    const call = pending.get(event.id);
    const isByPerson = call !== undefined && isApproved(codec, call);
    if (!commands.some((one) => one.event === event) || (!isByPerson && reviews[index]?.rule === undefined)) return [];
    const directories = (isByPerson ? call.approvedDirectories : proposed[index]?.directories) ?? [];
    return [[event.id, directories.length > 0 ? directories : ['.']] as const];
  });
  return new Map(
    allowed.map(([id, names]) => [id, names.map((name) => (name.startsWith('~') ? name : resolve(workspace, name)))]),
  );
}
