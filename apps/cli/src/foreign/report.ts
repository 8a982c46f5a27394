import type { Dropped, Problem, SignatureReport } from '@varve/interop';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { eventCount } from '../conversations/formats.ts';
import { styled } from '../terminal/output.ts';

/** Most keys that are named. */
const maxSigners = 3;
/** Most problems, and most kinds of content, that are printed one by one: a hostile log has as many as it likes. */
const maxShown = 20;

/** Prints what could not be read, or not as it is, and what a format cannot hold. */
export function reportLosses(
  { problems = [], dropped }: { readonly problems?: readonly Problem[]; readonly dropped: readonly Dropped[] },
  io: TerminalIo,
): void {
  for (const { place, reason, isRead } of problems.slice(0, maxShown)) {
    io.stderr.line(styled('yellow', `${place}${isRead ? '' : ' was not read'}: ${reason}`));
  }
  if (problems.length > maxShown) io.stderr.line(`${problems.length - maxShown} more problems are not shown.`);
  for (const { subject, count, reason } of dropped.slice(0, maxShown)) {
    io.stderr.line(styled('dim', `Left out: ${subject}, ${count === 1 ? 'once' : `${count} times`}. ${reason}`));
  }
  if (dropped.length > maxShown) io.stderr.line(`${dropped.length - maxShown} more kinds of content are left out.`);
}

/** Prints which keys signed the events of a log, and which signatures are not valid. */
export function reportSignatures({ valid, signers, problems }: SignatureReport, io: TerminalIo): void {
  for (const { place, reason } of problems.slice(0, maxShown)) io.stderr.line(styled('yellow', `${place}: ${reason}`));
  if (problems.length > maxShown) io.stderr.line(`${problems.length - maxShown} more signatures are not valid.`);
  const named = signers.slice(0, maxSigners).join(', ');
  const more = signers.length > maxSigners ? ` and ${signers.length - maxSigners} more keys` : '';
  io.stderr.line(styled('dim', `${eventCount(valid)} with a valid signature${named && ` of ${named}`}${more}.`));
}
