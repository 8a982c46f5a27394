import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Conversation } from '@varve/agent';
import type { LanguageModel } from '@varve/llm';
import type { PreparedAgent } from '@varve/settings/agent';
import type { EventStore } from '@varve/storage';
import { CliError } from '../cli-error.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { checkUrl } from '../setup/configured-model.ts';
import { preparedAgent } from '../setup/prepared-agent.ts';
import { untrustedLine } from '../setup/untrusted-line.ts';
import { openConfiguredStore, openExistingStore, storeUrl } from '../setup/open-configured-store.ts';
import { pruneVarveHome } from '../setup/prune-varve-home.ts';
import { settingsFor } from '../setup/settings.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { changedSettings } from './changed-settings.ts';
import { printApproved, printWaiting } from './decide-calls.ts';
import { EventPrinter, type Display } from './event-printer.ts';
import { Progress, usageText } from './progress.ts';
import { reportEnd } from './report-end.ts';
import { openingLines } from './opening-lines.ts';
import { runAndAsk } from './run-and-ask.ts';
import { flagsOf } from './run-flags.ts';
import type { RunOptions } from './run-options.ts';
import { storedRun, type StoredRun } from './stored-run.ts';
import { writeTitle } from './write-title.ts';

/** Runs a task to its end and resolves with the exit status. `task` may be empty with `resume`. */
export async function runTask(task: string, options: RunOptions, io: TerminalIo): Promise<ExitCode> {
  using progress = new Progress(io);
  await using stores = new AsyncDisposableStack();
  const existing = options.resume === undefined ? undefined : stores.use(await openExistingStore(io, options.store));
  const stored = existing && (await storedRun(existing, options.resume ?? ''));
  checkUrl(options.baseUrl);
  const workspace =
    options.workspace === undefined ? (stored?.workspace ?? io.cwd) : resolve(io.cwd, options.workspace);
  const settings = await settingsFor(io, { workspace, flags: flagsOf(options) });
  const warn = (line: string): void => progress.above(styled('yellow', line));
  if (!existing) await checkWorkspace(options, io);
  const { store: storeOption, hooks } = options;
  await using prepared = await preparedAgent({ settings, workspace, store: storeOption, stored, hooks }, io, warn);
  for (const line of [...prepared.warnings, ...prepared.untrusted.map(untrustedLine)]) warn(line);
  // Created last, so that a run that cannot start creates nothing.
  const store = existing ?? stores.use(await openConfiguredStore(io, options.store));
  await using conversation = await conversationFor(
    options,
    stored,
    { agent: prepared.agent, store, secrets: prepared.secrets },
    io,
  );
  for (const line of changedSettings(conversation)) warn(line);
  // Runs concurrently, so that the command does not wait for it at its end.
  const pruned = pruneVarveHome(io, conversation.id);
  try {
    const modelName = prepared.agent.model.name;
    const titleModel = await titleModelOf(prepared, options, io);
    return await runConversation(conversation, { task, options, modelName, titleModel }, { io, progress });
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
}

/** A conversation that is not kept needs no title. A model that cannot be used has been reported. */
async function titleModelOf(prepared: PreparedAgent, { store, demo }: RunOptions, io: TerminalIo) {
  if (demo || (await storeUrl(io, store)) === 'memory:') return undefined;
  return prepared.ownModel('title').catch(() => undefined);
}

async function runConversation(
  conversation: Conversation,
  { task, options, modelName, titleModel }: RunRequest,
  display: Display,
): Promise<ExitCode> {
  const { io, progress } = display;
  const { state: before } = conversation;
  await decide(conversation, options);
  if (task !== '') await conversation.send(task);
  printOpening(conversation, { modelName, options, before }, display);
  // All events of a new conversation are new, also the settings that it is created with.
  const from = options.resume === undefined ? 0 : before.head;
  const printing = { from, pending: before.pending, asJson: options.json === true };
  const printer = new EventPrinter(conversation, display, printing);
  await using title = writeTitle(conversation, titleModel);
  try {
    const result = await runAndAsk(conversation, options, { ...display, printer });
    if (!['interrupted', 'paused', 'error'].includes(result.reason)) await title.written;
    await printer.finish();
    progress.set('done');
    if (result.reason !== 'finished' && result.reason !== 'asked') printer.showLastMessage();
    if (result.usage.calls > 0) progress.above(styled('dim', usageText(result.usage)));
    if (result.reason === 'waiting') printWaiting(conversation, options, display);
    return await reportEnd(result, { id: conversation.id, options, io, progress });
  } finally {
    await printer.finish();
  }
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
  for (const line of lines) display.progress.above(styled('dim', line));
  if (options.approve !== undefined) printApproved(before.pending, display);
}

interface Parts extends Omit<Parameters<typeof Conversation.create>[0], 'workspace'> {
  readonly store: EventStore;
}

async function conversationFor(
  { workspace }: RunOptions,
  stored: StoredRun | undefined,
  parts: Parts,
  { cwd }: TerminalIo,
): Promise<Conversation> {
  if (!stored) return Conversation.create({ ...parts, workspace: resolve(cwd, workspace ?? '.') });
  const { id, hasWorkspace } = stored;
  const isChosen = workspace !== undefined || !hasWorkspace;
  return Conversation.open({ ...parts, id, ...(isChosen && { workspace: resolve(cwd, workspace ?? '.') }) });
}

async function checkWorkspace({ workspace }: RunOptions, { cwd }: TerminalIo): Promise<void> {
  const path = resolve(cwd, workspace ?? '.');
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new CliError(exitCodes.usage, `The workspace ${path} is not a directory.`);
}

async function decide(conversation: Conversation, { approve, reject }: RunOptions): Promise<void> {
  if (typeof approve === 'string') await conversation.approve({ digest: approve, by: 'cli' });
  if (reject !== undefined) await conversation.reject(reject);
}
