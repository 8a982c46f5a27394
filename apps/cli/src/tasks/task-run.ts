import type { RunResult } from '@varve/agent';
import { eventLines } from '@varve/events/text';
import type { HostedConversation } from '@varve/host';
import { failureText } from '../home/describe-failure.ts';
import { endSentence } from '../wording/end-sentence.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { callRows, reasonRows } from '../wording/call-rows.ts';

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
  readonly #hosted: HostedConversation;
  readonly #io: TerminalIo;
  readonly #listeners = new Set<(line: string) => void>();
  #report: TaskReport;
  /** True after a message that the run may not have read. */
  #isWanted = false;

  /** @param open - Disposed when the run has ended. */
  constructor(hosted: HostedConversation, open: AsyncDisposableStack, io: TerminalIo) {
    this.#io = io;
    this.#hosted = hosted;
    this.id = hosted.conversation.id;
    this.#report = { id: this.id, status: 'running', text: '', waiting: [] };
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
    await this.#hosted.send(message);
    this.#isWanted = true;
    // Joins the run, which may end before it reads the message.
    if (this.#hosted.runs.isActive) void this.#hosted.run().catch(() => undefined);
  }

  /** Interrupts the run, and resolves when it has ended. */
  async stop(): Promise<void> {
    await this.#hosted.interrupt();
    await this.ended;
  }

  /** Calls a function with each line of what happens, until the signal aborts. */
  follow(listener: (line: string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  async #run(opened: AsyncDisposableStack): Promise<void> {
    try {
      await using open = opened.move();
      open.defer(() => this.#listeners.clear());
      this.#hosted.follow({
        addEvent: (event) => {
          for (const { text } of eventLines(event)) for (const listener of this.#listeners) listener(text);
        },
      });
      let result: RunResult;
      do {
        this.#isWanted = false;
        result = await this.#hosted.run();
      } while (this.#isWanted);
      this.#report = reportOf(result, this.#hosted, this.#io);
    } catch (error) {
      this.#report = { ...this.#report, status: 'error', text: failureText(error, this.#io) };
    }
  }
}

/** Returns what became of a run. */
function reportOf(result: RunResult, hosted: HostedConversation, io: TerminalIo): TaskReport {
  const text = result.reason === 'error' ? failureText(result.error, io) : (endSentence(result) ?? result.text);
  const report = { id: hosted.conversation.id, status: result.reason, text, waiting: [] };
  if (result.reason !== 'waiting') return report;
  const { calls, digest } = hosted.waiting();
  const waiting = calls.map((call) => [...callRows(call, columns), ...reasonRows(call, columns)].join('\n'));
  return { ...report, waiting, digest };
}
