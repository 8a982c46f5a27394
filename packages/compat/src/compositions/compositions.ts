import { AgentError } from '@varve/agent';
import type { SubAgent } from '@varve/agent/delegation';
import type { BaseEvent } from '@varve/events';
import { escalate } from './control-tools.ts';
import { partOf, withOutputs, type Composition, type Outputs, type StepContext, type StepEnd } from './composition.ts';

/** Options of {@link agentStep}. */
export interface AgentStepOptions {
  /** Key of the answer in the outputs of the composition, and for the prompts of later steps. */
  readonly outputKey?: string;
  /** Returns the prompt; default: the input. Depends on its arguments alone, because a resumed step calls it again. */
  readonly prompt?: (input: string, outputs: Outputs) => string;
}

/**
 * Returns the composition of a single agent.
 *
 * @see orxhestra output_key
 */
export function agentStep(
  subAgent: SubAgent,
  { outputKey, prompt = (input) => input }: AgentStepOptions = {},
): Composition {
  return {
    name: subAgent.name,
    async run(input, context) {
      const { end } = await runAgent(subAgent, prompt(input, context.outputs), context);
      const hasOutput = outputKey !== undefined && end.isCompleted;
      return hasOutput ? withOutputs(end, { [outputKey]: end.text }) : end;
    },
  };
}

/** End of an agent's step, with what its model had in view. */
interface AgentEnd {
  readonly end: StepEnd;
  /** Oldest first; empty if it did not run. */
  readonly events: readonly BaseEvent[];
}

/** Runs an agent as one step of a composition, or continues it. */
export async function runAgent(subAgent: SubAgent, prompt: string, context: StepContext): Promise<AgentEnd> {
  const { delegation, path, key, signal, tools } = context;
  const order = { taskId: path, subAgent, prompt, tools };
  const { isCompleted, text, result, events = [] } = await delegation.runStep(order, { idempotencyKey: key, signal });
  const control = result?.control;
  // An answer is control over the agent's own run, and a text like any other for what is around it.
  const isOutside = control !== undefined && control.kind !== 'answer';
  return { end: { name: subAgent.name, isCompleted, text, ...(isOutside && { control }) }, events };
}

/**
 * Runs steps one after the other: the text of each is the input of the next. A step that fails, or has control, ends
 * the sequence.
 *
 * @see orxhestra SequentialAgent, which continues after `escalate`
 */
export function inSequence(...steps: readonly Composition[]): Composition {
  return {
    name: 'sequence',
    async run(input, context) {
      let end: StepEnd = { name: 'sequence', isCompleted: true, text: input };
      for (const [index, step] of steps.entries()) {
        const outputs = { ...context.outputs, ...end.outputs };
        const next = await step.run(end.text, partOf(context, `${index + 1}-${step.name}`, { outputs }));
        end = withOutputs(next, end.outputs);
        if (!end.isCompleted || end.control) break;
      }
      return end;
    },
  };
}

/**
 * Runs steps concurrently with the same input. The text has the texts of all, in order; it is complete if all are. A
 * step that fails does not end the others.
 *
 * @see orxhestra ParallelAgent
 */
export function inParallel(...steps: readonly Composition[]): Composition {
  return {
    name: 'parallel',
    async run(input, context) {
      const runs = steps.map((step, index) => step.run(input, partOf(context, `${index + 1}-${step.name}`)));
      // All have ended before the first bug is thrown.
      await Promise.allSettled(runs);
      const ends = await Promise.all(runs);
      const control = ends.find((end) => end.control?.kind === 'escalate')?.control;
      const texts = ends.map(({ name, isCompleted, text }) => `## ${name}${isCompleted ? '' : ' (failed)'}\n${text}`);
      const isCompleted = ends.every((end) => end.isCompleted);
      const whole = { name: 'parallel', isCompleted, text: texts.join('\n\n'), ...(control && { control }) };
      return withOutputs(whole, ...ends.map((end) => end.outputs));
    },
  };
}

/** Options of {@link inLoop}. */
export interface LoopOptions {
  /** Maximum number of rounds, at least 1; default 10. */
  readonly maxIterations?: number;
}

/**
 * Repeats a step until one of its agents calls `escalate`, which they all have: the text of each round is the input of
 * the next. Without `escalate` in the last round, and with a round that fails, it is not complete.
 *
 * @throws {AgentError} `invalid` for a number of rounds below 1.
 * @see orxhestra LoopAgent
 */
export function inLoop(step: Composition, { maxIterations = 10 }: LoopOptions = {}): Composition {
  if (!(maxIterations >= 1)) throw new AgentError('invalid', `A loop with ${maxIterations} rounds runs nothing.`);
  return {
    name: 'loop',
    async run(input, context) {
      let end: StepEnd = { name: 'loop', isCompleted: true, text: input };
      for (let round = 1; round <= maxIterations; round++) {
        const part = { tools: [escalate], outputs: { ...context.outputs, ...end.outputs } };
        end = withOutputs(await step.run(end.text, partOf(context, `${round}-${step.name}`, part)), end.outputs);
        if (end.control?.kind === 'escalate') {
          return withOutputs({ name: 'loop', isCompleted: true, text: end.text }, end.outputs);
        }
        if (!end.isCompleted || end.control) return end;
      }
      const reason = `The loop ended after ${maxIterations} rounds without escalate. The last text was:\n${end.text}`;
      return withOutputs({ name: 'loop', isCompleted: false, text: reason }, end.outputs);
    },
  };
}
