import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loops } from './loops/index.ts';
import type { MemorySample } from './run-loop.ts';

/**
 * Runs one loop in a separate process, so that its memory can be measured and its first steps are cold: loads the code,
 * then, after a message, executes the steps. Reports the memory in use at the requested steps.
 */
const [name = '', url = '', dir = '', steps = '', sampled = ''] = process.argv.slice(2);
const loop = loops[name as keyof typeof loops];
const samples: MemorySample[] = [];
const wanted = new Set(sampled.split(',').map(Number));
let step = 0;

process.send?.('loaded');
process.once('message', async () => {
  await inDirectory((own) => loop({ url, steps: Number(steps), dir: own, onStep }));
  process.send?.(samples);
  process.disconnect();
});

function onStep(): void {
  step += 1;
  if (!wanted.has(step)) return;
  // Twice: objects released by the first collection may hold others.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  samples.push({ step, heapUsed, rss });
}

async function inDirectory(work: (own: string) => Promise<void>): Promise<void> {
  const own = await mkdtemp(join(dir, 'loop-'));
  try {
    await work(own);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
