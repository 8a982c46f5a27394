import { TerminalAction } from '@varve/events/payloads';
import { eventToRun, type WaitingCall } from './waiting-call.ts';

/** Returns the command of a call that a person can change before it runs; undefined for other calls. */
export function editableCommand(call: WaitingCall): string | undefined {
  const terminal = TerminalAction.read(eventToRun(call).action);
  return terminal && !terminal.is_input && terminal.command.trim() !== '' ? terminal.command : undefined;
}

/** Returns the arguments of a call with another command. */
export function withCommand(call: WaitingCall, command: string): Readonly<Record<string, unknown>> {
  const { kind: _kind, ...others } = eventToRun(call).action ?? {};
  return { ...others, command };
}
