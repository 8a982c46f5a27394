import type { Delegation } from '../delegation.ts';
import { subAgentName } from '../../agent/agent.ts';
import { AgentError } from '../../error.ts';
import type { AnswerWaitingChild } from '../../agent/waiting-child.ts';
import type { Composition, StepEnd } from './composition.ts';

/** Options of {@link runComposition}. */
export interface CompositionOptions {
  /** Name of this use of the composition, unique in its conversation: the same id continues it. */
  readonly id: string;
  /** Aborting interrupts the agents that run. */
  readonly signal?: AbortSignal;
  /** Called when calls of an agent wait for approval; default: its step fails, and the calls wait. */
  readonly onChildWaiting?: AnswerWaitingChild;
}

/**
 * Runs agents by a plan, each in a child conversation of `conversation`, whose log names them. Steps that ended are not
 * run again: with the same id, a composition that was cut off continues where it was, also in another process.
 *
 * @throws {AgentError} `invalid` for an id that is not a name, and what reading and writing the log throws.
 */
export async function runComposition(
  conversation: { readonly delegation: Delegation },
  composition: Composition,
  input: string,
  { id, signal = new AbortController().signal, onChildWaiting }: CompositionOptions,
): Promise<StepEnd> {
  if (!subAgentName.test(id)) throw new AgentError('invalid', `The id ${JSON.stringify(id)} is not a name.`);
  const { delegation } = conversation;
  delegation.onChildWaiting = onChildWaiting;
  const key = `composition:${delegation.conversationId}:${id}`;
  return composition.run(input, { delegation, path: `${id}.${composition.name}`, key, signal, tools: [] });
}
