import { diffPositions, readPosition } from '@varve/agent/replay';
import type { BaseEvent } from '@varve/events';
import { eventLines } from '@varve/events/text';
import type { EventStore, LogReader } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { resolveId } from '../home/resolve-id.ts';
import { fitted } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { usageText } from '../wording/usage-text.ts';

type LogPosition = Awaited<ReturnType<typeof readPosition>>;

/** Prints status, plan, cost and files of a conversation after an event. */
export async function printPosition(log: LogReader, at: number, { stdout }: TerminalIo): Promise<void> {
  const { state, files } = await positionAt(log, at);
  stdout.line(`after event ${at}: ${state.status}`);
  for (const { status, title } of state.taskList) stdout.line(`  ${status.padEnd(12)}${title}`);
  for (const { event: action } of state.pending)
    stdout.line(`  waits: ${action.tool_name} ${fitted(action.tool_call.arguments, 100)}`);
  stdout.line(`cost: ${usageText(state.stats.total)}`);
  for (const { change, seq, first } of files.records.values()) {
    stdout.line(`  ${markOf(first, change.after)} ${change.path}  (event ${seq})`);
  }
}

/** Prints what differs between two events of a conversation, or between it and another one. */
export async function printDifferences(
  store: EventStore,
  log: LogReader,
  places: readonly string[],
  { stdout }: TerminalIo,
): Promise<void> {
  const [left, right] = await positionsOf(store, log, places);
  const { events, sameMessages, files } = diffPositions(left, right);
  for (const { left: removed, right: added } of events) {
    if (removed) stdout.line(styled('red', `- ${lineOf(removed)}`));
    if (added) stdout.line(styled('green', `+ ${lineOf(added)}`));
  }
  const [mine, yours] = [left.messages.length, right.messages.length];
  stdout.line(`requests: the first ${sameMessages} of ${mine} and of ${yours} messages agree`);
  for (const { path, left: before, right: after } of files) stdout.line(`  ${markOf(before, after)} ${path}`);
}

async function positionsOf(
  store: EventStore,
  log: LogReader,
  [first = '', second, ...more]: readonly string[],
): Promise<readonly [LogPosition, LogPosition]> {
  if (more.length > 0) throw new CliError(exitCodes.usage, '--diff takes two events, or one conversation.');
  if (second === undefined) {
    return [await readPosition(log), await readPosition(await store.read(await resolveId(store, first)))];
  }
  return [await positionAt(log, first), await positionAt(log, second)];
}

async function positionAt(log: LogReader, at: number | string): Promise<LogPosition> {
  if (/^\d{1,15}$/.test(String(at)) && Number(at) < (await log.head())) return readPosition(log, Number(at) + 1);
  throw new CliError(exitCodes.missing, `The conversation has no event ${at}.`, '`varve show ID --full` numbers them.');
}

function lineOf(event: BaseEvent): string {
  return (
    fitted(
      eventLines(event)
        .map(({ text }) => text)
        .join(' '),
      160,
    ) || event.kind
  );
}

/** Returns A, D or M, as git has them. */
function markOf(before: string | null | undefined, after: string | null | undefined): string {
  return (before ?? null) === null ? 'A' : (after ?? null) === null ? 'D' : 'M';
}
