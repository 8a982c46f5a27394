import { Conversation } from '@varve/agent';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HostedConversation } from '@varve/host';
import { otlpFrom } from '@varve/host/otlp';
import type { Questions } from '@varve/host/people';
import type { Settings } from '@varve/settings';
import type { PreparedAgent } from '@varve/settings/agent';
import type { AskForServer, McpServer } from '@varve/tools/mcp';
import { StorageError, type EventStore } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { checkUrl } from '../home/configured-model.ts';
import { openConfiguredStore, openExistingStore } from '../home/open-configured-store.ts';
import { preparedAgent } from '../home/prepared-agent.ts';
import { settingsFor } from '../home/settings.ts';
import { unusedModel } from '../home/unused-model.ts';
import { untrustedLine } from '../home/untrusted-line.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { Printable } from '../terminal/output.ts';
import { modeOfClient } from './confirm-modes.ts';
import { flagsOf } from './run-flags.ts';
import { acceptCommandFor } from './resume-command.ts';
import type { RunOptions } from './run-options.ts';
import { storedRun, type StoredRun } from '../conversations/stored-run.ts';
import { titleWriterOf } from './title-writer.ts';

/** Conversation that is open for a command, and its agent. */
export interface OpenRun {
  readonly hosted: HostedConversation;
  readonly prepared: PreparedAgent;
}

/** Where warnings are printed and a person is asked. */
export interface RunPlace {
  readonly io: TerminalIo;
  readonly progress: { readonly lineAbove: (line: Printable) => void };
  readonly questions?: Pick<Questions, 'allowsHost' | 'answersServer'>;
  /**
   * True for a program, which continues no conversation with a weaker policy than that of its options and settings: a
   * person may have chosen that for other tasks.
   */
  readonly isClient?: true;
  /** Servers of an editor, as they are. */
  readonly clientServers?: Readonly<Record<string, McpServer>>;
  /** True for a command that sends no request to the model of a stored conversation. */
  readonly needsNoModel?: true;
}

/** Agent of a run whose conversation is not open yet. */
export interface PreparedRun extends Pick<OpenRun, 'prepared'> {
  /** Creates the conversation, or opens that of `--resume`; `open` closes it. */
  readonly start: (open: AsyncDisposableStack) => Promise<HostedConversation>;
}

/** Prepares a run as {@link prepareRun} does, and starts it. `open` closes everything. */
export async function openRun(options: RunOptions, place: RunPlace, open: AsyncDisposableStack): Promise<OpenRun> {
  const { start, ...run } = await prepareRun(options, place, open);
  return { ...run, hosted: await start(open) };
}

/** Prepares the agent of the options, the settings and the conversation of `--resume`, and prints warnings. */
export async function prepareRun(
  options: RunOptions,
  { io, progress, questions, isClient, clientServers, needsNoModel }: RunPlace,
  open: AsyncDisposableStack,
): Promise<PreparedRun> {
  const existing = options.resume === undefined ? undefined : open.use(await openExistingStore(io, options.store));
  const stored = existing && (await storedRun(existing, options.resume ?? ''));
  checkUrl(options.baseUrl);
  const workspace =
    options.workspace === undefined ? (stored?.workspace ?? io.cwd) : resolve(io.cwd, options.workspace);
  const settings = await settingsOf(options, { io, workspace, stored: isClient && stored });
  const warn = (line: string): void => progress.lineAbove(styled('yellow', withCommandName(line, io)));
  if (!existing) await checkWorkspace(options, io);
  const askHost = questions && ((host: string) => questions.allowsHost(host, workspace));
  const askForServer = questions && (async (...asked: Parameters<AskForServer>) => questions.answersServer(...asked));
  const model = needsNoModel && stored && unusedModel(stored);
  const parts = { settings, workspace, stored, model, askHost, askForServer, clientServers };
  const request = { ...parts, store: options.store, hooks: options.hooks };
  const prepared = open.use(await preparedAgent(request, io, warn));
  checkPrices(options, prepared.unpriced);
  for (const line of [...prepared.warnings, ...prepared.untrusted.map((each) => untrustedLine(each, io))]) warn(line);
  const start = async (started: AsyncDisposableStack): Promise<HostedConversation> => {
    // Created last, so that a run that cannot start creates nothing.
    const store = existing ?? started.use(await openConfiguredStore(io, options.store));
    const { agent, secrets } = prepared;
    const spans = await otlpFrom(io.env, warn);
    if (spans) started.use(spans);
    const running = { agent, store, secrets, spans };
    const conversation = await conversationFor(options, stored, running, io).catch((error: unknown) => {
      if (!(error instanceof StorageError) || error.code !== 'unsealed' || !stored) throw error;
      throw new CliError(exitCodes.storage, error.message, acceptCommandFor(stored.id, options.store, io));
    });
    const title = titleWriterOf(conversation, prepared, { options, io });
    const hosted = started.use(new HostedConversation(conversation, { title }));
    for (const line of changedSettings(conversation)) warn(line);
    return hosted;
  };
  return { prepared, start };
}

/** @throws {CliError} `usage` for a limit of cost that would never end the run. */
function checkPrices({ maxCost }: RunOptions, [model]: readonly string[]): void {
  if (maxCost === undefined || model === undefined) return;
  throw new CliError(exitCodes.usage, `--max-cost cannot end the run: the price of ${model} is not known.`, priceHint);
}

const priceHint =
  'State it, 0 for a model that is free: `varve profile save NAME input_cost_per_token=… output_cost_per_token=…` (US dollars), or the same as --set llm.input_cost_per_token=…. --max-tokens needs no price.';

/** Returns the settings of a run: `stored` is a conversation that is not used with a weaker policy than theirs. */
async function settingsOf(
  options: RunOptions,
  { io, workspace, stored }: { io: TerminalIo; workspace: string; stored: StoredRun | undefined },
): Promise<Settings> {
  const own = await settingsFor(io, { workspace, flags: flagsOf(options) });
  const confirm = stored && modeOfClient(stored.policy, own.get('confirmation.policy') ?? 'auto');
  return confirm ? settingsFor(io, { workspace, flags: flagsOf({ ...options, confirm }) }) : own;
}

interface Parts extends Omit<Parameters<typeof Conversation.create>[0], 'workspace'> {
  readonly store: EventStore;
}

async function conversationFor(
  { workspace, newId }: RunOptions,
  stored: StoredRun | undefined,
  parts: Parts,
  { cwd }: TerminalIo,
): Promise<Conversation> {
  if (!stored) {
    const directory = resolve(cwd, workspace ?? '.');
    return Conversation.create({ ...parts, workspace: directory, ...(newId !== undefined && { id: newId }) });
  }
  const { id, hasWorkspace } = stored;
  const isChosen = workspace !== undefined || !hasWorkspace;
  return Conversation.open({ ...parts, id, ...(isChosen && { workspace: resolve(cwd, workspace ?? '.') }) });
}

async function checkWorkspace({ workspace }: RunOptions, { cwd }: TerminalIo): Promise<void> {
  const path = resolve(cwd, workspace ?? '.');
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) throw new CliError(exitCodes.usage, `The workspace ${path} is not a directory.`);
}

/** Returns the line that names the settings next to a log which differ from it; none if they are the same. */
export function changedSettings({
  id,
  metaDifferences,
}: Pick<Conversation, 'id' | 'metaDifferences'>): readonly string[] {
  if (metaDifferences.length === 0) return [];
  const names = metaDifferences.map(({ setting }) => setting).join(', ');
  return [`What is stored next to conversation ${id} differs from its log: ${names}. The log applies.`];
}
