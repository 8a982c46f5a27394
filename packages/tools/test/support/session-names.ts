import type { OpenedTool } from '../../src/testing/opened-tool.ts';
import { startupFile } from '../../src/terminal/session/startup-file.ts';
import { outputOf } from './open-terminal.ts';

const texts = (['pty', 'pipe'] as const).map((backend) =>
  startupFile({ nonce: '0'.repeat(16), backend, stateFiles: '/state-' }),
);
const names = new Set(texts.join('\n').match(/__varve_\w+/g));

/** Names of the functions that a session defines in its shell. */
export const sessionFunctions = [...names].filter((name) => texts[0]?.includes(`${name}()`));

/** Names of the variables that a session sets in its shell. */
export const sessionVariables = [...names].filter((name) => !sessionFunctions.includes(name));

/** Runs a command and then another; returns the first one, and the output and exit code of the second. */
export async function nextCommand({ call }: OpenedTool, command: string): Promise<readonly unknown[]> {
  await call({ command, timeout: 20 });
  const next = await call({ command: `builtin printf '%s\\n' "a  b"; (builtin exit 3)`, timeout: 20 });
  return [command, outputOf(next), next['exit_code']];
}
