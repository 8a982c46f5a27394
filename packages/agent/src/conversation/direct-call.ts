import type { Observation } from '@varve/events/payloads';
import type { Mask } from '@varve/text';
import { ToolError } from '@varve/tools';
import { AgentError } from '../error.ts';
import type { Session } from '../session.ts';

/** What is carried out beside the work. */
export interface DirectCall {
  readonly name: string;
  /** As a model would give them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Output as it comes. Provisional, and not masked; must not throw. */
  readonly onOutput?: (chunk: string) => void;
}

/**
 * Carries out a call of one of a conversation's own tools for its owner: the model does not see it, nothing is confirmed,
 * and no event is left. Secrets in the result are hidden, and in what a {@link ToolError} says.
 *
 * @throws {AgentError} `invalid` when there is no such tool; {@link ToolError} what the tool throws.
 * @see software-agent-sdk execute_tool
 */
export async function executeDirectCall(call: DirectCall, session: Session, mask: Mask): Promise<Observation> {
  const { tools, workspace, journal } = session;
  const tool = tools.get(call.name);
  if (!tool) {
    throw new AgentError('invalid', `There is no tool ${call.name}. The tools are: ${[...tools.keys()].join(', ')}.`);
  }
  const { signal = new AbortController().signal, onOutput } = call;
  const context = { workspace, signal, idempotencyKey: journal.newId(), ...(onOutput && { onOutput }) };
  try {
    return mask(await tool.execute(tool.parse(call.arguments), context));
  } catch (error) {
    throw error instanceof ToolError && mask(error.message) !== error.message
      ? new ToolError(error.code, mask(error.message))
      : error;
  }
}
