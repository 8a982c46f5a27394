import type { Conversation, RunResult } from '@varve/agent';
import type { WaitingChild } from '@varve/agent/delegation';
import { onInterrupt } from '../terminal/signals.ts';
import { styled } from '../terminal/output.ts';
import { answersOf, noAnswers } from './answer-questions.ts';
import { askApproval } from './ask-approval.ts';
import { CallDecisions, printWaiting } from './decide-calls.ts';
import type { Display, EventPrinter } from './event-printer.ts';
import type { Questions } from './questions.ts';
import { remainingLimits } from './remaining-limits.ts';
import type { RunOptions } from './run-options.ts';
import type { StreamInput } from './stream-input.ts';
import type { Work } from './start-work.ts';

/** Runs, asks the user about waiting calls, and runs again. Without a terminal, waiting ends the run. */
export async function runAndAsk(
  conversation: Conversation,
  task: AskedTask,
  display: Display & { readonly printer: EventPrinter },
): Promise<RunResult> {
  const { io, progress } = display;
  const interruption = new AbortController();
  const release = onInterrupt({
    pause: () => {
      interruption.abort();
      conversation.pause();
      progress.above(styled('yellow', 'Pausing after this step. Press Ctrl-C again to stop now.'));
    },
    stop: () => {
      interruption.abort();
      void conversation.interrupt();
    },
  });
  // Typed text would break the status line, and could answer a question that was not asked yet.
  const muted = io.stderr.isTTY ? io.muteInput() : undefined;
  try {
    return await runUntilDecided(conversation, task, { ...display, signal: interruption.signal });
  } finally {
    // Programs in the background ask about nothing any more.
    interruption.abort();
    muted?.[Symbol.dispose]();
    release();
  }
}

/** What the user asks for. */
interface AskedTask {
  readonly options: RunOptions;
  readonly work: Work;
  readonly questions: Questions;
  /** True if nothing may be asked about, whatever it is. */
  readonly neverAsks?: boolean;
  /** Messages and decisions of a program, in place of a person. */
  readonly input?: StreamInput | undefined;
}

interface Interaction extends Display {
  readonly printer: EventPrinter;
  /** Aborts when the user interrupts the run. */
  readonly signal: AbortSignal;
}

/** Activities while a reply arrives, by the kind of its pieces. */
const activities = {
  text: 'writing',
  reasoning: 'thinking',
  'tool-call': 'writing a call',
  reset: 'waiting for the model',
} as const;

async function runUntilDecided(
  conversation: Conversation,
  { options, work, questions, neverAsks = false, input }: AskedTask,
  interaction: Interaction,
): Promise<RunResult> {
  const { io, progress, printer, signal } = interaction;
  const { maxSteps, json } = options;
  const canAsk = io.stdin.isTTY === true && io.stderr.isTTY && !json && !input;
  const decisions = new CallDecisions(options, {
    io,
    ask: async (question, aborted) => progress.hiddenDuring(() => askApproval(question, io, aborted)),
    inTurn: async (ask) => questions.inTurn(ask),
  });
  const asksOutside = canAsk && !neverAsks;
  if (asksOutside) questions.open(signal);
  const onChildWaiting = async ({ subAgent, conversation: child }: WaitingChild): Promise<void> => {
    await printer.caughtUp();
    if (canAsk && (await decisions.decide(child, signal, subAgent))) return;
    // The goal is that of the parent.
    const { goal: _goal, ...runOptions } = options;
    printWaiting(child, { ...runOptions, subAgent }, interaction);
  };
  using answers = input ? noAnswers : answersOf(options, interaction);
  const { state: before } = conversation;
  let steps = 0;
  const runOnce = async (): Promise<RunResult> => {
    const result = await work({
      // Approved calls are executed even if their reply was the last step.
      ...remainingLimits(options, before, conversation.state),
      ...(maxSteps !== undefined && { maxIterations: Math.max(1, maxSteps - steps) }),
      onDelta: (delta) => {
        progress.set(activities[delta.kind], conversation.state.stats.total);
        printer.addDelta(delta);
      },
      onChildWaiting,
      ...(answers.onQuestion && { onQuestion: answers.onQuestion }),
      ...(asksOutside && {
        askOutside: async (...refused) => printer.caughtUp().then(() => questions.allowsOutside(...refused)),
      }),
      onOutput: (chunk, event) => {
        progress.set(`running ${event.tool_name}`);
        printer.addOutput(chunk, event.id);
      },
    });
    steps += result.iterations;
    return result;
  };
  if (input) return input.run(conversation, runOnce, (line) => progress.lineAbove(styled('yellow', line)));
  for (;;) {
    const result = await runOnce();
    if (result.reason !== 'waiting' || !canAsk) return result;
    await printer.caughtUp();
    if (!(await decisions.decide(conversation, signal))) return result;
  }
}
