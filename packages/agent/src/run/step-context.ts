import type { StuckCause } from '../stuck/stuck-rules.ts';
import type { RunOptions } from './run-options.ts';

/** Input of one step. */
export interface StepContext extends Pick<RunOptions, 'onDelta' | 'onOutput' | 'askOutside' | 'onQuestion'> {
  readonly signal: AbortSignal;
  /** Reports whether the reply was written with the user's latest message in view. */
  readonly sawLatestUserMessage: () => boolean;
}

/** Result of one step. */
export type StepOutcome =
  | { readonly kind: 'continue' | 'finished' | 'asked' | 'waiting' | 'aborted' }
  | { readonly kind: 'stuck'; readonly cause: StuckCause }
  | { readonly kind: 'failed'; readonly error: Error };
