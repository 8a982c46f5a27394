import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { onTestFailed } from 'vitest';
import { runProgram } from '../src/commands/program.ts';

/**
 * Runs a command on a terminal whose user answers each question, in order, with the text next to it. The failure of a
 * test names what it still waits for.
 */
export async function onTerminal(
  args: readonly string[],
  home: string,
  dialogue: readonly (readonly [string, string])[],
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const stdout = new PassThrough();
  const left = [...dialogue];
  let output = '';
  onTestFailed(() => {
    if (left[0]) throw new Error(`The terminal shows this, and the test waits for ${left[0][0]}:\n${output}`);
  });
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const [question, answer] = left[0] ?? [];
    if (question === undefined || !output.includes(question)) return;
    left.shift();
    output = '';
    setImmediate(() => stdin.write(`${answer}\r`));
  });
  const env = { PATH: process.env['PATH'], HOME: home, TERM: 'dumb' };
  const code = await runProgram(args, { env, cwd: home, stdin, stdout, stderr });
  stdout.end();
  return { code, stdout: await readAll(stdout), left };
}
