import type { RunResult } from '@varve/agent';
import type { HostedConversation, RunRequest, Work } from '@varve/host';
import type { Questions } from '@varve/host/people';
import { withoutUndefined } from '@varve/text';
import { onInterrupt } from '../terminal/signals.ts';
import { styled } from '../terminal/output.ts';
import { answersOf, noAnswers } from './answer-questions.ts';
import type { Display, EventPrinter } from './event-printer.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { StreamInput } from './stream-input.ts';
import { printWaiting } from './waiting-lines.ts';

/** What the user asks for. */
export interface AskedTask {
  readonly options: RunOptions;
  readonly work?: Work | undefined;
  readonly questions: Questions;
  /** Disposed when the conversation is closed. */
  readonly ending: DisposableStack;
  /** Messages and decisions of a program, in place of a person. */
  readonly input?: StreamInput | undefined;
}

/** Runs, and asks the user about waiting calls. Without a terminal, waiting ends the run. */
export async function runAndAsk(
  hosted: HostedConversation,
  { options, work, questions, input, ending }: AskedTask,
  display: Display & { readonly printer: EventPrinter },
): Promise<RunResult> {
  const { io, progress } = display;
  const pause = (): void => {
    if (!hosted.runs.isActive) return;
    void hosted.pause();
    progress.above(styled('yellow', 'Pausing after this step. Press Ctrl-C again to stop now.'));
  };
  onInterrupt({ pause, stop: () => void hosted.interrupt() }, ending);
  const canAsk = io.stdin.isTTY === true && io.stderr.isTTY && !options.json && !input;
  // Typed text would break the status line, and could answer a question that was not asked yet.
  const muted = io.stderr.isTTY ? io.muteInput() : undefined;
  using answers = input ? noAnswers : answersOf(options, display);
  const request: RunRequest = {
    work,
    limits: limitsOf(options),
    ...(canAsk && { questions }),
    ...(answers.onQuestion && { onQuestion: answers.onQuestion }),
    onChildWaiting: ({ subAgent, conversation: child }) => {
      // The goal is that of the parent.
      const { goal: _goal, ...runOptions } = options;
      printWaiting(child, { ...runOptions, subAgent }, display);
    },
  };
  try {
    if (!input) return await hosted.run(request);
    return await input.run(hosted, request, (line) => progress.lineAbove(styled('yellow', line)));
  } finally {
    // Programs in the background ask about nothing any more.
    questions.open(AbortSignal.abort());
    muted?.[Symbol.dispose]();
  }
}

function limitsOf({ maxSteps, maxCost, maxTokens, timeout }: RunOptions): NonNullable<RunRequest['limits']> {
  const maxMs = timeout === undefined ? undefined : timeout * 1000;
  return withoutUndefined({ maxIterations: maxSteps, maxCostUsd: maxCost, maxTokens, maxMs });
}
