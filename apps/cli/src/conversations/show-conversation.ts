import { readEvents } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { statsProjection, statusProjection, Timeline } from '@varve/events/projections';
import { eventText } from '@varve/events/text';
import type { LogReader, Stored, Summary } from '@varve/storage';
import { shownLine } from '../wording/shown-line.ts';
import { eventFormatter } from '../terminal/event-formatter.ts';
import { BranchPlace } from './branch-events.ts';
import { eventCount, localTime } from './formats.ts';
import { printDifferences, printPosition } from './show-position.ts';
import { unfinishedImport } from './unfinished-import.ts';
import { usageText } from '../wording/usage-text.ts';
import { metaFields } from './meta-fields.ts';
import { repairCommandFor } from './repair-command-for.ts';
import { resolveId } from '../home/resolve-id.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { type Printable, styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of `varve show`. */
export interface ShowOptions {
  readonly store?: string;
  readonly full?: true;
  readonly json?: true;
  readonly messages?: true;
  readonly at?: number;
  readonly diff?: readonly string[];
}

/** Prints one conversation: briefly, in full, as stored, or as the next model request. */
export async function showConversation(typed: string, options: ShowOptions, io: TerminalIo): Promise<void> {
  await using store = await openExistingStore(io, options.store);
  const id = await resolveId(store, typed);
  const log = await store.read(id);
  const summary = await store.summary(id);
  if (options.diff) await printDifferences(store, log, options.diff, io);
  else if (options.messages) await printRequest(log, options.at, io);
  else if (options.at !== undefined) await printPosition(log, options.at, io);
  else if (options.json) await io.stdout.all(textsOf(log), 'jsonLine');
  else await printConversation(summary, log, options, io);
  const { isUnfinishedImport } = await import('@varve/agent/replay');
  if (isUnfinishedImport(summary.meta)) io.stderr.line(styled('red', unfinishedImport(id)));
  const loss = await log.loss?.();
  if (!loss) return;
  io.stderr.line(styled('red', `Incomplete: ${loss.message}`));
  io.stderr.line(styled('dim', repairCommandFor(id, loss, io)));
}

async function printRequest(log: LogReader, at: number | undefined, io: TerminalIo): Promise<void> {
  const { readRequest } = await import('@varve/agent/replay');
  const { request, seq, isExact } = await readRequest(log, at);
  io.stdout.json(request);
  if (seq === undefined) return;
  const differs = isExact ? '' : ', and its messages differ from those that were sent';
  io.stderr.line(styled(isExact ? 'dim' : 'red', `The reply is event ${seq}${differs}.`));
}

async function printConversation(
  summary: Summary,
  log: LogReader,
  { full }: ShowOptions,
  io: TerminalIo,
): Promise<void> {
  printHeader(summary, io);
  const place = new BranchPlace();
  const timeline = new Timeline({
    codec: eventCodec(builtinKinds),
    projections: { status: statusProjection, stats: statsProjection },
  });
  await timeline.load(() => placed(log, place));
  const branch = place.idsBefore(timeline.leafId);
  const format = eventFormatter();
  let left = 0;
  const texts = async function* (): AsyncGenerator<Printable> {
    for await (const { seq, event } of readEvents(log.range(0))) {
      const isLeft = !branch.has(event.id);
      if (isLeft) left += 1;
      if (full) yield `\nevent ${seq}${isLeft ? ', on another branch' : ''}\n${eventText(event)}`;
      else if (!isLeft) yield* format(event).map(shownLine);
    }
  };
  await io.stdout.all(texts(), 'text');
  if (left > 0 && !full) io.stderr.line(styled('yellow', `Not shown: ${eventCount(left)} on other branches.`));
  const { total } = timeline.read('stats');
  const { execution } = timeline.read('status');
  const end = [execution, eventCount(timeline.head), ...(total.calls > 0 ? [usageText(total)] : [])].join(' · ');
  io.stderr.line(styled('dim', full ? end : `${end} · --full shows every field, and other branches`));
}

async function* textsOf(log: LogReader): AsyncGenerator<string> {
  for await (const { text } of log.range(0)) yield text;
}

async function* placed(log: LogReader, place: BranchPlace): AsyncGenerator<Stored> {
  for await (const entry of log.range(0)) {
    place.add(entry);
    yield entry;
  }
}

function printHeader({ id, createdAt, meta }: Summary, { stdout }: TerminalIo): void {
  const { title, model, workspace } = metaFields(meta);
  stdout.line(['conversation ', styled('bold', id)]);
  if (title !== '') stdout.line(title);
  stdout.line(styled('dim', [localTime(createdAt), model, workspace].filter((part) => part !== '').join(' · ')));
}
