import { resolve } from 'node:path';
import { TerminalAction } from '@varve/events/payloads';
import type { Session } from '../../agent/session.ts';
import { isApproved } from '../../confirmation/gate.ts';
import type { ReviewedPending } from './review-pending.ts';

/**
 * Returns the directories in which the commands of calls may start, absolute or below `~`, by the ids of their events:
 * those that a person approved, and those for which a rule allowed the command. Commands about which neither decided
 * may start anywhere.
 */
export function allowedDirectories(
  calls: readonly ReviewedPending[],
  { codec, journal, workspace }: Session,
): ReadonlyMap<string, readonly string[]> {
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  const directoriesOf = ({ call, review }: ReviewedPending): readonly string[] | undefined => {
    if (!TerminalAction.is(call.action)) return undefined;
    const stored = pending.get(call.event.id);
    if (stored && isApproved(codec, stored)) return stored.approvedDirectories ?? [];
    return review.rule === undefined ? undefined : (call.directories ?? []);
  };
  const allowed = calls.flatMap((reviewed) => {
    const directories = directoriesOf(reviewed);
    if (!directories) return [];
    const names = directories.length > 0 ? directories : ['.'];
    const paths = names.map((name) => (name.startsWith('~') ? name : resolve(workspace, name)));
    return [[reviewed.call.event.id, paths] as const];
  });
  return new Map(allowed);
}
