import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { runProgram } from '../src/commands/program.ts';

/** Result of one invocation. */
export interface Invocation {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Surroundings of an invocation; nothing of this process reaches it but PATH. */
export interface Surroundings {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Width of the terminal; without it the outputs are pipes. */
  readonly columns?: number;
}

/** Runs one invocation in this process, with its own streams. */
export async function runVarve(
  args: readonly string[],
  { home, env, stdin = '', columns }: Surroundings,
): Promise<Invocation> {
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = Object.assign(new PassThrough(), terminal);
  const code = await runProgram(args, {
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    cwd: home,
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await readAll(stdout), stderr: await readAll(stderr) };
}

/** Creates an empty home directory, and returns its path without links. */
export async function newHome(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'varve-home-')));
}
