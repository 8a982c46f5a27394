import type { Dropped, Problem } from '@varve/interop';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { styled } from '../terminal/output.ts';

/** Most problems, and most kinds of content, that are printed one by one: a hostile log has as many as it likes. */
const maxShown = 20;

/** Prints what could not be read, and what a format cannot hold. */
export function reportLosses(
  { problems = [], dropped }: { readonly problems?: readonly Problem[]; readonly dropped: readonly Dropped[] },
  io: TerminalIo,
): void {
  for (const { place, reason } of problems.slice(0, maxShown)) {
    io.stderr.line(styled('yellow', `${place} was not read: ${reason}`));
  }
  if (problems.length > maxShown) io.stderr.line(`${problems.length - maxShown} more problems are not shown.`);
  for (const { subject, count, reason } of dropped.slice(0, maxShown)) {
    io.stderr.line(styled('dim', `Left out: ${subject}, ${count === 1 ? 'once' : `${count} times`}. ${reason}`));
  }
  if (dropped.length > maxShown) io.stderr.line(`${dropped.length - maxShown} more kinds of content are left out.`);
}
