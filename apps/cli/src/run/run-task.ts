import { join, resolve } from 'node:path';
import {
  alwaysConfirm,
  confirmRisky,
  Conversation,
  defineAgent,
  neverConfirm,
  type Agent,
  type RunResult,
} from '@varve/agent';
import { ensembleRisk, modelRisk, shellRisk } from '@varve/agent/risk';
import { rollingWindow } from '@varve/condensers';
import type { EventStore } from '@varve/storage';
import { defaultTools } from '@varve/tools';
import { askApproval } from './ask-approval.ts';
import { pruneVarveHome } from '../setup/prune-varve-home.ts';
import { EventPrinter } from './event-printer.ts';
import type { ExitCode } from '../exit-codes.ts';
import { configuredModel } from '../setup/configured-model.ts';
import { Progress, usageText } from './progress.ts';
import { reportEnd } from './report-end.ts';
import { resolveId } from '../setup/resolve-id.ts';
import { readSigningKey } from '../setup/signing-key.ts';
import type { RunOptions } from './run-options.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { openConfiguredStore, storeUrl, varveHome } from '../setup/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

const policies = {
  never: neverConfirm,
  always: alwaysConfirm,
  risky: () => confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk()]) }),
};

/** Maximum number of events in the view before the oldest are condensed. */
const maxEvents = 240;

/** Runs a task to its end and resolves with the exit status. `task` may be empty with `resume`. */
export async function runTask(task: string, options: RunOptions, io: TerminalIo): Promise<ExitCode> {
  using progress = new Progress(io);
  const {
    model,
    secrets,
    flushDumps: settled,
  } = await configuredModel(io, options, (line) => progress.above(styled('yellow', line)));
  const isKept = storeUrl(io, options.store) !== 'memory:';
  const agent = defineAgent({
    model,
    tools: ({ conversationId, mask }) =>
      defaultTools({
        terminal: {
          outputDir: join(varveHome(io), 'outputs', conversationId),
          mask,
          inherit: io.env,
          inheritNames: options.env ?? [],
        },
        // A conversation in memory cannot be resumed, so it needs no undo history on disk.
        ...(isKept && { fileEditor: { historyDir: join(varveHome(io), 'edits', conversationId) } }),
      }),
    condenser: rollingWindow({ maxEvents }),
    ...(options.confirm && { confirmation: policies[options.confirm]() }),
    ...(options.sign && { signingKey: await readSigningKey(io) }),
  });
  await using store = await openConfiguredStore(io, options.store);
  await using conversation = await conversationFor(options, { agent, store, secrets, io });
  progress.above(styled('dim', `conversation ${conversation.id} · ${model.name} in ${conversation.workspace}`));
  const printer = new EventPrinter(conversation, io, progress, options.json === true);
  // Runs concurrently, so that the command does not wait for it at its end.
  const pruned = pruneVarveHome(io, conversation.id);
  try {
    await decide(conversation, options);
    if (task !== '') await conversation.send(task);
    const result = await runWithInterrupts(conversation, options, { io, progress, printer });
    await printer.finish();
    progress.set('done');
    if (result.usage.calls > 0) progress.above(styled('dim', usageText(result.usage)));
    return reportEnd(result, conversation.id, options, io, progress);
  } finally {
    await printer.finish();
    await settled();
    await pruned;
  }
}

interface Parts {
  readonly agent: Agent;
  readonly store: EventStore;
  readonly secrets: readonly string[];
  readonly io: TerminalIo;
}

async function conversationFor({ resume, workspace }: RunOptions, { io, ...parts }: Parts): Promise<Conversation> {
  if (resume === undefined) return Conversation.create({ ...parts, workspace: resolve(io.cwd, workspace ?? '.') });
  return Conversation.open({
    ...parts,
    id: await resolveId(parts.store, resume),
    ...(workspace !== undefined && { workspace: resolve(io.cwd, workspace) }),
  });
}

async function decide(conversation: Conversation, { approve, reject }: RunOptions): Promise<void> {
  if (approve) await conversation.approve({ by: 'cli' });
  if (reject !== undefined) await conversation.reject(reject);
}

/** Objects that show a run to the user. */
interface Display {
  readonly io: TerminalIo;
  readonly progress: Progress;
  readonly printer: EventPrinter;
}

/** Runs, asks the user about waiting calls, and runs again. Without a terminal, waiting ends the run. */
async function runWithInterrupts(
  conversation: Conversation,
  { maxSteps, json }: RunOptions,
  display: Display,
): Promise<RunResult> {
  const { io, progress } = display;
  const interruption = new AbortController();
  const stop = (): void => {
    interruption.abort();
    void conversation.interrupt();
  };
  const release = onInterrupt({
    pause: () => {
      interruption.abort();
      conversation.pause();
      progress.above(styled('yellow', 'Pausing after this step. Press Ctrl-C again to stop now.'));
    },
    stop,
  });
  const canAsk = io.stdin.isTTY === true && io.stderr.isTTY && !json;
  try {
    return await runAndAsk(conversation, { maxSteps, canAsk, signal: interruption.signal }, display);
  } finally {
    release();
  }
}

interface Decisions {
  readonly maxSteps: number | undefined;
  readonly canAsk: boolean;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

async function runAndAsk(
  conversation: Conversation,
  { maxSteps, canAsk, signal }: Decisions,
  { io, progress, printer }: Display,
): Promise<RunResult> {
  for (;;) {
    const result = await conversation.run({
      ...(maxSteps !== undefined && { maxIterations: maxSteps }),
      onDelta: ({ kind }) =>
        progress.set(kind === 'tool-call' ? 'writing a call' : 'thinking', conversation.state.stats.total),
      onOutput: (_chunk, event) => progress.set(`running ${event.tool_name}`),
    });
    if (result.reason !== 'waiting' || !canAsk) return result;
    await printer.caughtUp();
    const answer = await progress.hiddenDuring(() => askApproval(conversation.state.pending, io, signal));
    if (answer === 'quit') return result;
    if (answer === 'yes') await conversation.approve({ by: 'cli' });
    else await conversation.reject(answer.reason);
  }
}
