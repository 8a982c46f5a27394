import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { loops } from './loops/index.ts';
import type { ModelServer, RequestSample } from './start-model-server.ts';

/** Bytes in use within a step, after garbage collection. */
export interface MemorySample {
  readonly step: number;
  readonly heapUsed: number;
  readonly rss: number;
}

/** Measurements of a loop: its requests in order, starting with the second, and its memory at chosen steps. */
export interface LoopRun {
  readonly requests: readonly RequestSample[];
  readonly memory: readonly MemorySample[];
}

/** Name and length of a run. */
export interface LoopRunOptions {
  readonly name: keyof typeof loops;
  readonly server: ModelServer;
  readonly dir: string;
  readonly steps: number;
  /** Steps at which memory is measured; the request after such a step is late. */
  readonly sampled: readonly number[];
}

/** Runs a loop in a separate process. */
export async function runLoop({ name, server, dir, steps, sampled }: LoopRunOptions): Promise<LoopRun> {
  const file = fileURLToPath(new URL('loop-process.ts', import.meta.url));
  const child = fork(file, [name, server.url, dir, String(steps), sampled.join(',')]);
  await messageOf(child);
  await server.requests();
  child.send('go');
  const memory = (await messageOf(child)) as readonly MemorySample[];
  return { requests: await server.requests(), memory };
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
