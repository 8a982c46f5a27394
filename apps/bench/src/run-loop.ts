import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelServer, RequestSample } from './start-model-server.ts';

/** Bytes in use within a step, after garbage collection. */
export interface MemorySample {
  readonly step: number;
  readonly heapUsed: number;
  readonly rss: number;
}

/** Measurements of a process: memory at chosen steps, processor time in milliseconds at each step. */
export interface ProcessReport {
  readonly memory: readonly MemorySample[];
  readonly cpuMs: readonly number[];
  /** Milliseconds from the start of the process to its first tool call. */
  readonly firstMs: number;
}

/** Measurements of a loop: those of its process, and its requests in order, starting with the second. */
export interface LoopRun extends ProcessReport {
  readonly requests: readonly RequestSample[];
}

/** Name and length of a run. */
export interface LoopRunOptions {
  /** Name of a loop, or path of a module with the loop `run`. */
  readonly name: string;
  readonly server: ModelServer;
  readonly dir: string;
  readonly steps: number;
  /** Steps at which memory is measured; the request after such a step is late. */
  readonly sampled?: readonly number[];
  /** Directory of this package in another checkout; default this one. */
  readonly bench?: string;
}

/** Runs a loop in a separate process. */
export async function runLoop(options: LoopRunOptions): Promise<LoopRun> {
  const { name, server, dir, steps, sampled = [], bench } = options;
  const own = fileURLToPath(new URL('loop-process.ts', import.meta.url));
  const file = bench === undefined ? own : join(bench, 'src/loop-process.ts');
  const child = fork(file, [name, server.url, dir, String(steps), sampled.join(',')]);
  await messageOf(child);
  await server.requests();
  child.send('go');
  const report = (await messageOf(child)) as ProcessReport;
  const requests = await server.requests();
  await once(child, 'exit');
  return { ...report, requests };
}

/** Resolves to the next message of a process; rejects if the process fails. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const failure = new AbortController();
  const onExit = (code: number | null): void => {
    if (code !== 0) failure.abort(new Error(`The process of the loop ended with ${code}.`));
  };
  child.once('exit', onExit);
  try {
    const [message] = await once(child, 'message', { signal: failure.signal });
    return message;
  } finally {
    child.removeListener('exit', onExit);
  }
}
