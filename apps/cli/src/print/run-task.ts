import type { Conversation } from '@varve/agent';
import type { HostedConversation } from '@varve/host';
import { redactor } from '@varve/text';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { pruneVarveHome } from '../home/prune-varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { printApproved, printWaiting } from './waiting-lines.ts';
import { EventPrinter, type Display, type LiveParts } from './event-printer.ts';
import { shownLine } from '../wording/shown-line.ts';
import { openRun } from '../opening/open-run.ts';
import { Progress } from './progress.ts';
import { usageText } from '../wording/usage-text.ts';
import { reportEnd } from './report-end.ts';
import { openingLines } from '../opening/opening-lines.ts';
import { questionsTo } from '../opening/questions-to.ts';
import { runAndAsk, type AskedTask } from './run-and-ask.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { goalLine, startWork } from '../opening/start-work.ts';
import { withOutputSchema } from './output-schema.ts';
import type { StreamInput } from './stream-input.ts';
import { terminalPerson } from './terminal-person.ts';
import { StreamedOutput } from './streamed-output.ts';
import { StreamedReply } from './streamed-reply.ts';

/** Runs a task to its end and resolves with the exit status. `task` may be empty with `resume`. */
export async function runTask(task: string, typed: RunOptions, io: TerminalIo, input?: StreamInput): Promise<ExitCode> {
  const options = await withOutputSchema(typed, io);
  using ending = new DisposableStack();
  using progress = new Progress(io);
  await using open = new AsyncDisposableStack();
  const display = { io, progress };
  const questions = questionsTo(terminalPerson(display), io, { options: () => options, isClosed: true });
  const { hosted, prepared } = await openRun(options, { ...display, questions }, open);
  // Runs concurrently, so that the command does not wait for it at its end.
  const pruned = pruneVarveHome(io, { keep: hosted.conversation.id });
  try {
    const modelName = prepared.agent.model.name;
    const { secrets } = prepared;
    return await runConversation(hosted, { task, options, modelName, secrets, questions, input, ending }, display);
  } finally {
    await pruned;
  }
}

/** What is run. */
interface RunRequest extends Omit<AskedTask, 'work'> {
  /** May be empty when the conversation is resumed. */
  readonly task: string;
  readonly modelName: string;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
}

async function runConversation(
  hosted: HostedConversation,
  { task, options, modelName, secrets, ...asking }: RunRequest,
  display: Display,
): Promise<ExitCode> {
  const { io, progress } = display;
  const { conversation } = hosted;
  const { state: before } = conversation;
  await decide(hosted, options);
  const work = await startWork(conversation, task, options);
  printOpening(conversation, { modelName, options, before }, display);
  // All events of a new conversation are new, also the settings that it is created with.
  const from = options.resume === undefined ? 0 : before.head;
  const printing = {
    from,
    pending: before.pending,
    asJson: options.json === true,
    ...(io.stderr.isTTY && !options.json && { live: await liveParts(display, secrets) }),
  };
  const printer = new EventPrinter(hosted, display, printing);
  try {
    const result = await runAndAsk(hosted, { options, work, ...asking }, { ...display, printer });
    await printer.finish();
    progress.set('done');
    if (result.reason !== 'finished' && result.reason !== 'asked') printer.showLastMessage();
    // After the last run of a goal a model judges it.
    const { total } = conversation.state.stats;
    if (total.calls > 0) progress.above(styled('dim', usageText(total)));
    if (result.reason === 'waiting') printWaiting(conversation, options, display);
    const line = options.goal && goalLine(conversation);
    if (line) progress.above(shownLine(line));
    const isShown = io.stdout.isTTY && printer.hasStreamed(result.text);
    const code = await reportEnd(result, { id: conversation.id, options, io, progress, isShown });
    return code === exitCodes.ok && line?.mark === 'warning' ? exitCodes.unfinished : code;
  } catch (error) {
    // The failure that ended the run is reported, and not that of reading what it stored.
    await printer.finish().catch(() => undefined);
    throw error;
  }
}

/** Parts of the display that show what is not stored yet; secrets are masked when it is stored. */
async function liveParts({ io, progress }: Display, secrets: readonly string[]): Promise<LiveParts> {
  const highlight = io.stderr.hasColours ? (await import('../terminal/highlight.ts')).codeRows : undefined;
  const masking = redactor(secrets, { replacement: '<secret-hidden>' });
  return {
    reply: new StreamedReply({ progress, io, redactor: masking, highlight }),
    output: new StreamedOutput(progress, masking),
  };
}

/** The id is printed when the task is stored, so that the conversation can be resumed from then on. */
function printOpening(
  { id, workspace }: Conversation,
  {
    modelName,
    options,
    before,
  }: Pick<RunRequest, 'modelName' | 'options'> & { readonly before: Conversation['state'] },
  display: Display,
): void {
  const opening = { id, workspace, model: modelName };
  const lines = openingLines(opening, options.resume === undefined ? undefined : before);
  for (const line of lines) display.progress.lineAbove(styled('dim', line));
  if (options.approve !== undefined) printApproved(before.pending, display);
}

async function decide(hosted: HostedConversation, { approve, reject }: RunOptions): Promise<void> {
  if (typeof approve === 'string') await hosted.decide({ digest: approve, by: 'cli' });
  if (reject !== undefined) await hosted.decide({ reject });
}
