import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { sqliteStore } from '@varve/storage/sqlite';
import { testKey } from './support/requests.ts';
import { message, requestFor, runningServer } from './support/running-server.ts';
import { connectSocket, type SocketClient } from './support/socket-client.ts';

/** Conversations at a time. */
const lanes = 200;
/** Lanes whose conversations a socket follows. */
const followed = 20;
/** Runs of one conversation, which is then removed and replaced by a new one. */
const runs = 4;
const soakMs = 3 * 60_000;
/** Time until the number of events of all conversations is about constant, and time between two measurements. */
const startMs = 60_000;
const sampleMs = 10_000;

/** A model that keeps no requests. Every third reply ends a run, whichever conversation it is for. */
async function startModel() {
  let count = 0;
  const http = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end(reply(count++)));
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** Number of replies. */
    replies: () => count,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

function reply(index: number): string {
  const [name, argument] =
    index % 3 === 2 ? ['finish', { message: 'Done.' }] : ['think', { thought: `Thought ${index}. ${'x'.repeat(200)}` }];
  const call = { id: `call-${index}`, type: 'function', function: { name, arguments: JSON.stringify(argument) } };
  return JSON.stringify({
    id: `reply-${index}`,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [
      { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  });
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Measures this process until it is disposed. */
function measurements() {
  const heaps: number[] = [];
  const turns: number[] = [];
  const began = performance.now();
  const processor = process.threadCpuUsage();
  let before = processor;
  // Processor time, because the time of a clock depends on what else runs on this machine.
  const turnTimer = setInterval(() => {
    const now = process.threadCpuUsage();
    turns.push(now.user + now.system - before.user - before.system);
    before = now;
  }, 5);
  const heapTimer = setInterval(() => {
    if (performance.now() - began > startMs) heaps.push(heapBytes());
    before = process.threadCpuUsage();
  }, sampleMs);
  return {
    heaps,
    /** Microseconds of processor time between two turns of the event loop, at the 99th percentile. */
    longTurn: () => turns.toSorted((a, b) => a - b)[Math.floor(turns.length * 0.99)] ?? 0,
    /** Microseconds of processor time since the start. */
    processor: () => {
      const { user, system } = process.threadCpuUsage(processor);
      return user + system;
    },
    [Symbol.dispose]() {
      clearInterval(turnTimer);
      clearInterval(heapTimer);
    },
  };
}

function isEnd(text: string): boolean {
  return text.includes('"key":"execution_status","value":"finished"');
}

/** Waits until a client has received the end of all runs of its conversation, and disconnects it. */
async function assertFollowed({ texts, socket }: SocketClient): Promise<void> {
  await expect.poll(() => texts.filter(isEnd).length, { timeout: 60_000 }).toBe(runs);
  socket.terminate();
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test(
  '200 conversations at a time for three minutes use a constant amount of memory, and no turn of the event loop is long',
  { timeout: soakMs + 300_000 },
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-concurrent-'));
    await using store = await sqliteStore({ path: join(directory.path, 'varve.db') });
    await using model = await startModel();
    await using running = await runningServer([], { store, maxRuns: lanes });
    await using listening = await running.server.listen(0);
    const body = requestFor({ ...running.model, url: model.url }, running.workspace);
    const converse = async (lane: number): Promise<void> => {
      const { id } = await running.create(body);
      const client =
        lane < followed && (await connectSocket(`${listening.url}/sockets/events/${id}?session_api_key=${testKey}`));
      for (let run = 1; run <= runs; run += 1) {
        await running.send('POST', `/${id}/events`, message('Go.', true));
        await running.status(id, ['finished'], run);
      }
      if (client) await assertFollowed(client);
      expect((await running.send('DELETE', `/${id}`)).status).toBe(200);
    };
    using measured = measurements();
    const until = performance.now() + soakMs;
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        while (performance.now() < until) await converse(lane);
      }),
    );
    const { heaps } = measured;
    const half = Math.floor(heaps.length / 2);
    expect(heaps.length).toBeGreaterThan(10);
    expect(mean(heaps.slice(half))).toBeLessThan(mean(heaps.slice(0, half)) * 1.15 + 5e6);
    // In one turn, a few dozen of the 200 conversations proceed by a step, at most.
    expect(measured.longTurn() / (measured.processor() / model.replies())).toBeLessThan(60);
  },
);
