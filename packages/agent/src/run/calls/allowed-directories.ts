import { resolve } from 'node:path';
import type { CallReview } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { isApproved } from '../../confirmation/gate.ts';
import type { ProposedCall } from '../../risk/risk-analyzer.ts';
import type { Session } from '../../agent/session.ts';
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
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  // Reading the commands again takes time, and most calls are decided by neither.
  let proposed: readonly ProposedCall[] | undefined;
  const directoriesOf = ({ event }: RunnableCall, index: number): readonly string[] | undefined => {
    if (!TerminalAction.is(event.action)) return undefined;
    const call = pending.get(event.id);
    if (call && isApproved(codec, call)) return call.approvedDirectories ?? [];
    if (reviews[index]?.rule === undefined) return undefined;
    proposed ??= runnableCalls(calls, session);
    return proposed[index]?.directories;
  };
  const allowed = calls.flatMap((call, index) => {
    const directories = directoriesOf(call, index);
    if (!directories) return [];
    const names = directories.length > 0 ? directories : ['.'];
    return [[call.event.id, names.map((name) => (name.startsWith('~') ? name : resolve(workspace, name)))] as const];
  });
  return new Map(allowed);
}
