import type { Tool, ToolControl } from '@varve/tools';
import type { Delegation } from '../delegation.ts';

/** End of a composition or of one of its steps. */
export interface StepEnd {
  /** Name of the step: that of its sub-agent, or of its kind. */
  readonly name: string;
  /** True if every part of it reached its end: an answer, or control that the composition follows. */
  readonly isCompleted: boolean;
  /** The answer, or the reason for another end. */
  readonly text: string;
  /** Control of its last call, for the composition around it. */
  readonly control?: ToolControl;
}

/** What a step runs in. */
export interface StepContext {
  readonly delegation: Delegation;
  /** Position in the composition: names of tasks begin with it. */
  readonly path: string;
  /** Equal for every attempt at the composition. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Tools that the composition around a step adds to those of its agent. */
  readonly tools: readonly (() => Tool)[];
}

/**
 * Agents that work on one task by a fixed plan. Each agent runs in a child conversation; names and contents follow
 * from the position in the plan, so that a composition which is run again continues the same conversations.
 */
export interface Composition {
  readonly name: string;
  /** Runs the plan. A step that fails is an end; only a bug rejects. */
  run(input: string, context: StepContext): Promise<StepEnd>;
}

/** Returns the context of a part of a composition. */
export function partOf(context: StepContext, name: string, tools: StepContext['tools'] = []): StepContext {
  return { ...context, path: `${context.path}.${name}`, tools: [...context.tools, ...tools] };
}
