import type { ActionEvent } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import type { StuckCause } from '../stuck/stuck-rules.ts';
import type { RunOptions } from './run-options.ts';

/** Input of one step. */
export interface StepContext {
  readonly signal: AbortSignal;
  /** Receives pieces of the reply in progress; provisional. Must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /** Receives output of a call in progress; provisional and not masked. Must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
  /** See `askOutside` of the options of a run. */
  readonly askOutside?: RunOptions['askOutside'];
  /** Answers questions of the agent. */
  readonly onQuestion?: NonNullable<RunOptions['onQuestion']>;
  /** Reports whether the reply was written with the user's latest message in view. */
  readonly sawLatestUserMessage: () => boolean;
}

/** Result of one step. */
export type StepOutcome =
  | { readonly kind: 'continue' | 'finished' | 'asked' | 'waiting' | 'aborted' }
  | { readonly kind: 'stuck'; readonly cause: StuckCause }
  | { readonly kind: 'failed'; readonly error: Error };
