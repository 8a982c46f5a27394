import type { Usage } from '@varve/events/projections';

/** What every run tells. */
interface Ended {
  /** Steps this run took. */
  readonly iterations: number;
  /** What the whole conversation has used so far, and who works for it. */
  readonly usage: Usage;
  /** Milliseconds that the whole conversation has been at work so far: those of its runs, not those between them. */
  readonly activeMs: number;
}

/** How a run ended. Every run ends with exactly one of these; a store that fails, or a bug, rejects instead. */
export type RunResult = Ended &
  (
    | { readonly reason: 'finished'; /** The final message; empty when the model gave none. */ readonly text: string }
    /** The agent said something to the person instead of finishing, and its policy is to wait; the status is `idle`. */
    | { readonly reason: 'asked'; readonly text: string }
    /** Pending calls wait for `approve` or `reject`. */
    | { readonly reason: 'waiting' }
    /** Somebody called `pause`; another `run` goes on. */
    | { readonly reason: 'paused' }
    /** Somebody aborted; calls under way were cancelled and answered. The status is `paused`; another `run` goes on. */
    | { readonly reason: 'interrupted' }
    /**
     * A limit was reached: the status is `error`. Another `run` begins with nothing used of what one run may use, but with
     * what the conversation used so far. `max-calls` are replies of the model in the whole conversation; `max-time` is that
     * of the run or of all its runs.
     */
    | { readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls' | 'max-time' }
    /** The model gave nothing usable several times in a row. */
    | { readonly reason: 'stuck' }
    /** The model or the condenser failed; `error` is what it threw, its `code` says what can be done. */
    | { readonly reason: 'error'; readonly error: Error }
  );

/** Why a run ended. */
export type EndReason = RunResult['reason'];
