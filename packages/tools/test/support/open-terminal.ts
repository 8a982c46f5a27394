import { textOf } from '@varve/events';
import { type Observation, TerminalObservation } from '@varve/events/payloads';
import type { TerminalOptions } from '../../src/terminal/terminal-options.ts';
import { terminal } from '../../src/terminal/terminal.ts';
import { insideSandbox } from './inside-sandbox.ts';
import type { OwnedTool } from '../../src/contract/tool.ts';
import { openedTool, type OpenedTool } from '../../src/testing/opened-tool.ts';

/** Both backends as rows for a table of tests: a name, and the value of the `pty` option. */
export const backends = [
  ['pty', true],
  ['pipe', false],
] as const;

/** Opens a terminal in a new workspace, in a sandbox if the tests run in one. */
export function openTerminal(pty: boolean, options: TerminalOptions = {}): Promise<OpenedTool<OwnedTool>> {
  return openedTool(terminal({ pty, ...insideSandbox(), ...options }));
}

/** Calls and polls until the command has written `text` or ended; returns the whole output and the last observation. */
export async function callUntil(
  { call }: OpenedTool,
  input: unknown,
  text: string,
): Promise<{ readonly text: string; readonly last: Observation }> {
  let last = await call(input);
  const parts = [outputOf(last)];
  while (!parts.join('\n').includes(text) && metadataOf(last).exit_code === -1) {
    last = await call({ command: '' });
    parts.push(outputOf(last));
  }
  return { text: parts.filter(Boolean).join('\n'), last };
}

/** Returns the output of an observation. */
export function outputOf(observation: Observation): string {
  return textOf(observation.content);
}

/** Returns the metadata of an observation, with the messages around the output. */
export function metadataOf(observation: Observation): ReturnType<typeof TerminalObservation.create>['metadata'] {
  if (!TerminalObservation.is(observation)) throw new TypeError(`A ${observation.kind} is not a terminal observation.`);
  return observation.metadata;
}
