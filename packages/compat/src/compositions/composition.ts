import { AgentError, type Conversation, type RunOptions } from '@varve/agent';
import type { Tool, ToolControl } from '@varve/tools';

/** Form of an id. */
const nameForm = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

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
  /** Answers by the keys of their steps, a later one in place of an earlier one; absent if no step has a key. */
  readonly outputs?: Outputs;
}

/** Answers of steps by their keys. */
export type Outputs = Readonly<Record<string, string>>;

/** What a step runs in. */
export interface StepContext {
  readonly delegation: Conversation['delegation'];
  /** Position in the composition: names of tasks begin with it. */
  readonly path: string;
  /** Equal for every attempt at the composition. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Tools that the composition around a step adds to those of its agent. */
  readonly tools: readonly (() => Tool)[];
  /** Answers of the steps before it that have a key. */
  readonly outputs: Outputs;
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
export function partOf(
  context: StepContext,
  name: string,
  { tools = [], outputs = context.outputs }: Partial<Pick<StepContext, 'tools' | 'outputs'>> = {},
): StepContext {
  return { ...context, path: `${context.path}.${name}`, tools: [...context.tools, ...tools], outputs };
}

/** Returns an end with the outputs of earlier steps in addition to its own. */
export function withOutputs(end: StepEnd, ...earlier: readonly (Outputs | undefined)[]): StepEnd {
  const outputs = Object.assign({}, ...earlier, end.outputs) as Outputs;
  return Object.keys(outputs).length === 0 ? end : { ...end, outputs };
}

/** Options of {@link runComposition}. */
export interface CompositionOptions {
  /** Name of this use of the composition, unique in its conversation: the same id continues it. */
  readonly id: string;
  /** Aborting interrupts the agents that run. */
  readonly signal?: AbortSignal;
  /** Called when calls of an agent wait for approval; default: its step fails, and the calls wait. */
  readonly onChildWaiting?: RunOptions['onChildWaiting'];
}

/**
 * Runs agents by a plan, each in a child conversation of a conversation, whose log names them. Steps that ended are not
 * run again: with the same id, a composition that was cut off continues where it was, also in another process.
 *
 * @throws {AgentError} `invalid` for an id that is not a name, and what reading and writing the log throws.
 */
export async function runComposition(
  { delegation }: Pick<Conversation, 'delegation'>,
  composition: Composition,
  input: string,
  { id, signal = new AbortController().signal, onChildWaiting }: CompositionOptions,
): Promise<StepEnd> {
  if (!nameForm.test(id)) throw new AgentError('invalid', `The id ${JSON.stringify(id)} is not a name.`);
  delegation.onChildWaiting = onChildWaiting;
  const key = `composition:${delegation.conversationId}:${id}`;
  return composition.run(input, { delegation, path: `${id}.${composition.name}`, key, signal, tools: [], outputs: {} });
}
