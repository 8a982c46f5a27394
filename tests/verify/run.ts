import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/**
 * Runs a program without input and returns what it printed on stdout.
 *
 * @throws {Error} when it cannot be started, or with its output if its exit status is not 0.
 */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${status}.\n${stdout}${stderr}`.trimEnd());
}
