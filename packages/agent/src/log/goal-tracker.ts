import type { Draft } from './drafts.ts';
import type { Journal } from './journal.ts';
import { goalDraft, type GoalState } from './projections/goal-projection.ts';

/** Loop that pursues the goal of a session, seen by the other parts of the session. */
export class GoalTracker {
  readonly #journal: Pick<Journal, 'timeline'>;
  #interruption: AbortController | undefined;
  #isRequested = false;

  constructor(journal: Pick<Journal, 'timeline'>) {
    this.#journal = journal;
  }

  /** State of the last goal. One that is stored as running, but that no loop here pursues, is interrupted. */
  get state(): GoalState | undefined {
    const { goal } = this.#journal.timeline.read('goal');
    if (!goal || !this.isAbandoned) return goal;
    return { ...goal, active: false, status: 'interrupted' };
  }

  /** True for a goal that is stored as running, although its process has ended. */
  get isAbandoned(): boolean {
    return this.#isStoredRunning && !this.#isExpected;
  }

  /** Marks that a loop will begin: its goal may be stored as running. */
  request(): void {
    this.#isRequested = true;
  }

  /** Marks the beginning of a loop. The signal aborts when its goal is interrupted by a message or on request. */
  begin(): AbortSignal {
    this.#interruption = new AbortController();
    return this.#interruption.signal;
  }

  /** Marks the end of the loop. */
  end(): void {
    this.#isRequested = false;
    this.#interruption = undefined;
  }

  /** True while a loop here pursues, or will pursue, a goal that was not interrupted. */
  get isRunning(): boolean {
    return this.#isExpected && this.#isStoredRunning;
  }

  /** Returns the events that interrupt the running goal; none without one. */
  interruptDrafts(): readonly Draft[] {
    return this.isRunning ? this.#interruptedDrafts() : [];
  }

  /** Cancels what the loop waits for, once its goal is not running any more. Without a loop nothing happens. */
  cancelIfEnded(): void {
    if (!this.isRunning) this.#interruption?.abort();
  }

  /** Returns the end of a goal that is stored as running although its process has ended, for the next append. */
  abandonedDrafts(): readonly Draft[] {
    return this.isAbandoned ? this.#interruptedDrafts() : [];
  }

  /** A loop here has begun, or will. */
  get #isExpected(): boolean {
    return this.#isRequested || this.#interruption !== undefined;
  }

  get #isStoredRunning(): boolean {
    return this.#journal.timeline.read('goal').goal?.status === 'running';
  }

  #interruptedDrafts(): readonly Draft[] {
    const { goal } = this.#journal.timeline.read('goal');
    return goal?.status === 'running' ? [goalDraft({ ...goal, active: false, status: 'interrupted' })] : [];
  }
}
