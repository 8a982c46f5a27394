import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Program of a process that may be killed. */
export interface MortalProgram {
  /** Module next to this one, whose `work(options, point)` does the work of the process. */
  readonly module: string;
  readonly options: object;
  /** Number of the point at which it dies, from 1. */
  readonly at: number;
}

/** Program of a process. Its modules are compiled once for all processes: compiling is most of their cost. */
const source = ({ module, options, at }: MortalProgram): string => `
  import { enableCompileCache, flushCompileCache } from 'node:module';
  enableCompileCache(${JSON.stringify(join(tmpdir(), 'varve-compiled'))});
  const { work } = await import('./${module}');
  flushCompileCache();
  let points = 0;
  const point = () => {
    points += 1;
    if (points !== ${at}) return;
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  await work(${JSON.stringify(options)}, point);`;

/** Runs a program and resolves with true if it was killed at its point, with false if it ended before. */
export async function dies(program: MortalProgram): Promise<boolean> {
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', source(program)];
  const working = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] });
  const [exitCode, signal] = (await once(working, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') assert.equal(exitCode, 0, 'the process failed by itself');
  return signal === 'SIGKILL';
}
