import type { PendingCall, Usage } from '@varve/events/projections';
import type { ToolControl } from '@varve/tools';
import type { Evidence } from './evidence.ts';
import type { StuckCause } from '../stuck/stuck-rules.ts';

/** Fields of every result. */
interface RunTotals<Output> {
  /**
   * The agent's answer: the final message of a run that ended as `finished` or `asked`; otherwise a sentence that
   * begins with `No answer:` and names the reason.
   */
  readonly text: string;
  /** Answer in the form of the schema of `finish`; present exactly if a run ended as `finished` by such a call. */
  readonly output?: Output;
  /** Control of the call that ended a finished run, for what runs the agents; `text` is its reason, or its result. */
  readonly control?: ToolControl;
  /** Steps of this run. */
  readonly iterations: number;
  /** What the log shows about the answer; absent if the run was given up before it began. */
  readonly evidence?: Evidence;
  /** Usage of the whole conversation so far, its children included. */
  readonly usage: Usage;
  /** Milliseconds of all runs of the conversation so far; the time between runs does not count. */
  readonly activeMs: number;
}

/** Result of a run. Every run ends with exactly one reason; a failing store, or a bug, rejects instead. */
export type RunResult<Output = Readonly<Record<string, unknown>>> = RunTotals<Output> &
  (
    | { readonly reason: 'finished' }
    /** The agent replied with text instead of finishing, and its policy is to wait. The status is `idle`. */
    | { readonly reason: 'asked' }
    /** Calls wait for `approve` or `reject`; with the digest, `approve` approves exactly these. */
    | { readonly reason: 'waiting'; readonly calls: readonly PendingCall[]; readonly digest: string }
    /** `pause` was called; another `run` continues. */
    | { readonly reason: 'paused' }
    /**
     * The run was aborted; running calls were cancelled and answered. The status is `paused`; another `run` continues.
     */
    | { readonly reason: 'interrupted' }
    /**
     * A limit was reached; the status is `error`. The limits of a run start from zero with another `run`, those of the
     * conversation do not. `max-calls` counts replies of the model in the whole conversation; `max-time` is the time of
     * the run or of all runs.
     */
    | { readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls' | 'max-time' }
    /** The agent repeated itself, or its model returned nothing usable several times in a row. */
    | { readonly reason: 'stuck'; readonly cause: StuckCause }
    /** The model or the condenser failed; the `code` of `error` names the cause. */
    | { readonly reason: 'error'; readonly error: Error }
  );

/** Reason for the end of a run. */
export type EndReason = RunResult['reason'];
