import type { Conversation } from '@varve/agent';
import { textOf } from '@varve/events';
import { presentObservation, TerminalAction } from '@varve/events/payloads';
import { ToolError } from '@varve/tools';
import type { WaitingCall } from './waiting-call.ts';

/** Returns the command of a call that a person can change before it runs; undefined for other calls. */
export function editableCommand({ event }: WaitingCall): string | undefined {
  const terminal = TerminalAction.read(event.action);
  return terminal && !terminal.is_input && terminal.command.trim() !== '' ? terminal.command : undefined;
}

/** Command that a person runs in place of a call. */
export interface EditedCall {
  readonly call: WaitingCall;
  readonly command: string;
  readonly signal: AbortSignal;
  /** Receives output as it is written. */
  readonly onOutput?: ((chunk: string) => void) | undefined;
}

/**
 * Runs the command that a person wrote in place of a call, as theirs: nothing is confirmed. Returns the reason with
 * which the call is rejected, so that the model reads the command and its result where it expects that of its call.
 */
export async function runEdited(
  { call: { event }, command, signal, onOutput }: EditedCall,
  executeTool: Conversation['executeTool'],
): Promise<string> {
  const terminal = TerminalAction.read(event.action);
  const options = { timeout: terminal?.timeout, reset: terminal?.reset };
  const changes = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const heading = `The user changed this command and ran instead:\n\n$ ${command}`;
  try {
    const result = await executeTool({
      name: event.tool_name,
      arguments: { command, ...changes },
      signal,
      ...(onOutput && { onOutput }),
    });
    return `${heading}\n\n${textOf(presentObservation(result))}`;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${heading}\n\nIt failed: ${error.message}`;
  }
}
