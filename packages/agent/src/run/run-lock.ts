import { AgentError } from '../error.ts';
import type { Session } from '../agent/session.ts';

/** Requests to stop the work that holds a {@link RunLock}. */
export interface RunControl {
  /** Aborts on `interrupt`, and when another process takes the conversation over. */
  readonly interruption: AbortSignal;
  readonly isPauseRequested: () => boolean;
  /** True for work that ends so that it is continued later: its end is not stored. */
  readonly isLeft: () => boolean;
  /** Number of steps after which a run pauses; default never. */
  readonly pauseAfter?: number;
}

/** Reason for which the signal of a run aborts that is left: the runs of its children are, too. */
export const leftRun = new DOMException('The run is continued later.', 'AbortError');

/** Lets one piece of work at a time run on an open conversation, and stops it on request. */
export class RunLock {
  readonly #session: Session;
  #work: Promise<unknown> | undefined;
  #interruption = new AbortController();
  #isPauseRequested = false;
  #isLeft = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get isRunning(): boolean {
    return this.#work !== undefined;
  }

  /** Runs `work`. @throws {AgentError} `busy` when other work is running; what `work` throws. */
  async exclusive<T>(work: (control: RunControl) => Promise<T>): Promise<T> {
    const { conversationId, journal, lost } = this.#session;
    if (this.#work) throw new AgentError('busy', `Conversation ${conversationId} is running already.`);
    this.#interruption = new AbortController();
    this.#isPauseRequested = false;
    this.#isLeft = false;
    const control: RunControl = {
      interruption: AbortSignal.any([this.#interruption.signal, lost]),
      isPauseRequested: () => this.#isPauseRequested,
      isLeft: () => this.#isLeft,
    };
    // Events that reached the log although their append failed are folded first.
    const running = journal.catchUp().then(() => work(control));
    this.#work = running;
    try {
      return await running;
    } finally {
      this.#work = undefined;
    }
  }

  /** Requests a pause. Without running work nothing happens. */
  pause(): void {
    if (this.#work) this.#isPauseRequested = true;
    this.#isLeft = false;
  }

  /** Ends the running work before its next step, or when the signal aborts, and resolves when it has ended. */
  async leave(signal: AbortSignal): Promise<void> {
    // A person who paused it wants that to be stored.
    this.#isLeft = !this.#isPauseRequested;
    this.#isPauseRequested = true;
    const cut = (): void => this.#interruption.abort(this.#isLeft ? leftRun : undefined);
    if (signal.aborted) cut();
    signal.addEventListener('abort', cut, { once: true });
    await this.#work?.catch(() => undefined);
    signal.removeEventListener('abort', cut);
  }

  /** Interrupts the running work and resolves when it has ended, with any result. */
  async interrupt(): Promise<void> {
    this.#isLeft = false;
    this.#interruption.abort();
    await this.#work?.catch(() => undefined);
  }
}
