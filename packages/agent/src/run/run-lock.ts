import { AgentError } from '../error.ts';
import type { Session } from '../session.ts';

/** What the work under way may ask about how it is to be stopped. */
export interface UnderWay {
  /** Aborts when somebody interrupts. */
  readonly interruption: AbortSignal;
  readonly isPauseRequested: () => boolean;
}

/** The one thing at a time that an open conversation is busy with, and how it is stopped. */
export class RunLock {
  readonly #session: Session;
  readonly #lost: AbortSignal;
  #work: Promise<unknown> | undefined;
  #interruption = new AbortController();
  #isPauseRequested = false;

  /** `lost` interrupts as well. */
  constructor(session: Session, lost: AbortSignal) {
    this.#session = session;
    this.#lost = lost;
  }

  get isRunning(): boolean {
    return this.#work !== undefined;
  }

  /** @throws {AgentError} `busy` when something is under way; what `work` throws. */
  async exclusive<T>(work: (underWay: UnderWay) => Promise<T>): Promise<T> {
    const { conversationId, journal } = this.#session;
    if (this.#work) throw new AgentError('busy', `Conversation ${conversationId} is running already.`);
    this.#interruption = new AbortController();
    this.#isPauseRequested = false;
    const underWay: UnderWay = {
      interruption: AbortSignal.any([this.#interruption.signal, this.#lost]),
      isPauseRequested: () => this.#isPauseRequested,
    };
    // What reached the log although its append failed counts.
    const running = journal.catchUp().then(() => work(underWay));
    this.#work = running;
    try {
      return await running;
    } finally {
      this.#work = undefined;
    }
  }

  /** Nothing happens when nothing is under way. */
  pause(): void {
    if (this.#work) this.#isPauseRequested = true;
  }

  /** Resolves when what was under way has ended, however it ended. */
  async interrupt(): Promise<void> {
    this.#interruption.abort();
    await this.#work?.catch(() => undefined);
  }
}
