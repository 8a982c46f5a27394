import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loops } from './loops/index.ts';
import type { Loop } from './loops/loop.ts';
import type { MemorySample } from './run-loop.ts';

/**
 * Runs one loop in a separate process, so that its memory can be measured and its first steps are cold: loads the code,
 * then, after a message, executes the steps. Reports the memory in use at the requested steps, the processor time at
 * each step, and when the first tool call ran. The loop is an export of `loops`, or of the module at a path.
 */
const [name = '', url = '', dir = '', steps = '', sampled = ''] = process.argv.slice(2);
const loop = await loopOf(name);
const memory: MemorySample[] = [];
const wanted = new Set(sampled.split(',').map(Number));
const cpuMs: number[] = [];
/** Processor time of the measurement itself. */
let ownMs = 0;
let firstMs = 0;

process.send?.('loaded');
process.once('message', async () => {
  await inDirectory((own) => loop({ url, steps: Number(steps), dir: own, onStep }));
  process.send?.({ memory, cpuMs, firstMs });
  process.disconnect();
});

function onStep(): void {
  if (cpuMs.length === 0) firstMs = performance.now();
  const at = usedMs();
  const step = cpuMs.push(at - ownMs);
  if (!wanted.has(step)) return;
  // Twice: objects released by the first collection may hold others.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  memory.push({ step, heapUsed, rss });
  ownMs += usedMs() - at;
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function loopOf(nameOrPath: string): Promise<Loop> {
  if (Object.hasOwn(loops, nameOrPath)) return loops[nameOrPath as keyof typeof loops]();
  return ((await import(nameOrPath)) as { run: Loop }).run;
}

async function inDirectory(work: (own: string) => Promise<void>): Promise<void> {
  const own = await mkdtemp(join(dir, 'loop-'));
  try {
    await work(own);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
