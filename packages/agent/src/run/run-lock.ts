import { AgentError } from '../error.ts';
import type { Session } from '../agent/session.ts';

/** Requests to stop the work that holds a {@link RunLock}. */
export interface RunControl {
  /** Aborts on `interrupt`, and when another process takes the conversation over. */
  readonly interruption: AbortSignal;
  readonly isPauseRequested: () => boolean;
  /** Number of steps after which a run pauses; default never. */
  readonly pauseAfter?: number;
}

/** Lets one piece of work at a time run on an open conversation, and stops it on request. */
export class RunLock {
  readonly #session: Session;
  #work: Promise<unknown> | undefined;
  #interruption = new AbortController();
  #isPauseRequested = false;

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
    const control: RunControl = {
      interruption: AbortSignal.any([this.#interruption.signal, lost]),
      isPauseRequested: () => this.#isPauseRequested,
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
  }

  /** Interrupts the running work and resolves when it has ended, with any result. */
  async interrupt(): Promise<void> {
    this.#interruption.abort();
    await this.#work?.catch(() => undefined);
  }
}
