import type { Observation } from '@varve/events/payloads';
import { ToolError } from '@varve/tools';
import { AgentError } from '../error.ts';
import type { Session } from '../agent/session.ts';

/** A tool call by the application, outside a run. */
export interface DirectCall {
  readonly name: string;
  /** As a model would pass them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Receives output as it is written. Provisional and not masked; must not throw. */
  readonly onOutput?: (chunk: string) => void;
}

/**
 * Executes a tool for `Conversation.executeTool`. Secrets are masked in the result and in the message of a
 * {@link ToolError}.
 *
 * @see software-agent-sdk execute_tool
 */
export async function executeDirectCall(call: DirectCall, session: Session): Promise<Observation> {
  const { tools, workspace, journal, mask } = session;
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
