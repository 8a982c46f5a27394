import { AgentError, type Conversation } from '@varve/agent';
import type { LanguageModel } from '@varve/llm';
import type { PreparedAgent } from '@varve/settings/agent';
import { StorageError } from '@varve/storage';
import { redactor } from '@varve/text';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { storeUrl } from '../setup/open-configured-store.ts';
import { pruneVarveHome } from '../setup/prune-varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { printApproved, printWaiting } from './decide-calls.ts';
import { EventPrinter, shownLine, type Display, type LiveParts } from './event-printer.ts';
import { openRun } from './open-run.ts';
import { Progress, usageText } from './progress.ts';
import { reportEnd } from './report-end.ts';
import { openingLines } from './opening-lines.ts';
import { Questions } from './questions.ts';
import { runAndAsk } from './run-and-ask.ts';
import type { RunOptions } from './run-options.ts';
import { goalLine, startWork } from './start-work.ts';
import { withOutputSchema } from './output-schema.ts';
import type { StreamInput } from './stream-input.ts';
import { titleModelOf, titleWriterOf } from './title-writer.ts';
import { StreamedOutput } from './streamed-output.ts';
import { StreamedReply } from './streamed-reply.ts';

/** Runs a task to its end and resolves with the exit status. `task` may be empty with `resume`. */
export async function runTask(task: string, typed: RunOptions, io: TerminalIo, input?: StreamInput): Promise<ExitCode> {
  const options = await withOutputSchema(typed, io);
  using progress = new Progress(io);
  await using open = new AsyncDisposableStack();
  const display = { io, progress };
  const questions = new Questions(display);
  const { conversation, prepared, neverAsks } = await openRun(options, { ...display, questions }, open);
  // Runs concurrently, so that the command does not wait for it at its end.
  const pruned = pruneVarveHome(io, { keep: conversation.id });
  try {
    const modelName = prepared.agent.model.name;
    const titleModel = await keptTitleModel(prepared, options, io);
    const { secrets } = prepared;
    const request = { task, options, modelName, titleModel, secrets, questions, neverAsks, input };
    return await runConversation(conversation, request, display);
  } finally {
    await pruned;
  }
}

/** What is run. */
interface RunRequest {
  /** May be empty when the conversation is resumed. */
  readonly task: string;
  readonly options: RunOptions;
  readonly modelName: string;
  /** Absent if no model writes the title. */
  readonly titleModel: LanguageModel | undefined;
  /** Values that are never shown. */
  readonly secrets: readonly string[];
  readonly questions: Questions;
  readonly neverAsks: boolean;
  /** Messages and decisions of a program. */
  readonly input: StreamInput | undefined;
}

/** A conversation that is not kept needs no title. */
async function keptTitleModel(prepared: PreparedAgent, { store, demo }: RunOptions, io: TerminalIo) {
  if (demo || (await storeUrl(io, store)) === 'memory:') return undefined;
  return titleModelOf(prepared);
}

/** The run reports failures of the store. */
function throwUnlessReported(error: unknown): void {
  if (!(error instanceof AgentError || error instanceof StorageError)) throw error;
}

async function runConversation(
  conversation: Conversation,
  { task, options, modelName, titleModel, secrets, ...asking }: RunRequest,
  display: Display,
): Promise<ExitCode> {
  const { io, progress } = display;
  const { state: before } = conversation;
  await decide(conversation, options);
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
  const printer = new EventPrinter(conversation, display, printing);
  await using title = titleWriterOf(conversation, async () => titleModel, throwUnlessReported);
  title.start();
  try {
    const result = await runAndAsk(conversation, { options, work, ...asking }, { ...display, printer });
    if (!['interrupted', 'paused', 'error'].includes(result.reason)) await title.finished();
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

async function decide(conversation: Conversation, { approve, reject }: RunOptions): Promise<void> {
  if (typeof approve === 'string') await conversation.approve({ digest: approve, by: 'cli' });
  if (reject !== undefined) await conversation.reject(reject);
}
