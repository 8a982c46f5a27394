import type { EventCodec } from '@varve/events';
import type { ActionEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import type { Delta, ToolSpec } from '@varve/llm';
import type { Tool } from '@varve/tools';
import type { Agent } from './agent.ts';
import type { Journal } from './log/journal.ts';
import type { PreparedRequest } from './request/request.ts';

/** What the steps of one open conversation share. */
export interface Session {
  readonly conversationId: string;
  readonly agent: Agent;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly offered: readonly ToolSpec[];
  readonly journal: Journal;
  readonly codec: EventCodec;
  readonly workspace: string;
  readonly prepare: (view: View) => PreparedRequest;
  /** Whole UTC milliseconds. */
  readonly now: () => number;
}

/** What one run adds. */
export interface RunContext {
  readonly signal: AbortSignal;
  /** Pieces of the reply under way; provisional. Must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /** Output of a call under way; provisional, and not masked. Must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
}

/** What a reply and its calls add. */
export interface ReplyRunContext extends RunContext {
  /** Whether the model had read everything the user has said when it wrote the reply. */
  readonly sawLatestUserMessage: () => boolean;
}

/** How a step ended. */
export type StepOutcome =
  | { readonly kind: 'continue' | 'finished' | 'asked' | 'waiting' | 'aborted' | 'stuck' }
  | { readonly kind: 'failed'; readonly error: Error };
