import type { Conversation, RunResult } from '@varve/agent';
import { eventLines } from '@varve/events/text';
import { failureText } from '../describe-failure.ts';
import { EventFollower } from '../run/event-follower.ts';
import { endSentence } from '../run/report-end.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { callRows, reasonRows } from '../run/waiting-call.ts';

/** What a client reads about a conversation. */
export interface TaskReport {
  readonly id: string;
  /** `running`, or why the run ended: a reason of `RunResult`. */
  readonly status: string;
  /** Answer, question, or the sentence about another end. */
  readonly text: string;
  /** Calls that wait for approval, each in full with the reasons why it waits. */
  readonly waiting: readonly string[];
  /** Digest of these calls. */
  readonly digest?: string;
}

/** Width of the rows of a call. */
const columns = 120;

/** Run of a conversation for a client: it executes in the background, and its end is reported. */
export class TaskRun {
  readonly id: string;
  /** Resolves when the run has ended and the conversation is closed. */
  readonly ended: Promise<void>;
  readonly #conversation: Conversation;
  readonly #io: TerminalIo;
  readonly #listeners = new Set<(line: string) => void>();
  #report: TaskReport;

  /** @param open - Disposed when the run has ended. */
  constructor(conversation: Conversation, open: AsyncDisposableStack, io: TerminalIo) {
    this.#io = io;
    this.id = conversation.id;
    this.#conversation = conversation;
    this.#report = { id: conversation.id, status: 'running', text: '', waiting: [] };
    this.ended = this.#run(open);
  }

  /** State of the run now. */
  get report(): TaskReport {
    return this.#report;
  }

  get isRunning(): boolean {
    return this.#report.status === 'running';
  }

  /** Adds a message, which the agent reads before its next step. */
  async send(message: string): Promise<void> {
    await this.#conversation.send(message);
  }

  /** Interrupts the run, and resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#conversation.interrupt();
    await this.ended;
  }

  /** Calls a function with each line of what happens, until the signal aborts. */
  follow(listener: (line: string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  async #run(opened: AsyncDisposableStack): Promise<void> {
    const conversation = this.#conversation;
    try {
      await using open = opened;
      const sink = {
        addEvent: (event: Parameters<typeof eventLines>[0]) => {
          for (const { text } of eventLines(event)) for (const listener of this.#listeners) listener(text);
        },
        addDelta: () => undefined,
      };
      const follower = new EventFollower(conversation, sink, conversation.state.head);
      open.defer(async () => follower.finish());
      const result = await conversation.run();
      await follower.caughtUp();
      this.#report = reportOf(conversation, result, this.#io);
    } catch (error) {
      this.#report = { ...this.#report, status: 'error', text: failureText(error, this.#io) };
    }
  }
}

/** Returns what became of a run. */
function reportOf(conversation: Conversation, result: RunResult, io: TerminalIo): TaskReport {
  const { id, state } = conversation;
  const text = result.reason === 'error' ? failureText(result.error, io) : (endSentence(result) ?? result.text);
  const report = { id, status: result.reason, text, waiting: [] };
  if (result.reason !== 'waiting') return report;
  const waiting = state.pending.map((call) => [...callRows(call, columns), ...reasonRows(call, columns)].join('\n'));
  return { ...report, waiting, digest: conversation.digestOf(state.pending) };
}
