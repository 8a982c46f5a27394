import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { sqliteStore } from '@varve/storage/sqlite';
import { testKey } from '../src/testing/requests.ts';
import { message, requestFor, runningServer } from '../src/testing/running-server.ts';
import { connectSocket } from '../src/testing/socket-client.ts';

const conversations = 200;
const rounds = 6;

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

/** 99th percentile of the delay of the event loop in ms. */
async function delayDuring(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  try {
    await work();
  } finally {
    delays.disable();
  }
  return delays.percentile(99) / 1e6;
}

/** Work of another kind that keeps this machine as busy: JSON of a hundred events in each turn. */
async function plainWork(): Promise<void> {
  const text = JSON.stringify({ text: 'x'.repeat(20_000) });
  const until = performance.now() + 1000;
  while (performance.now() < until) {
    for (let count = 0; count < 100; count += 1) JSON.parse(text);
    const { promise, resolve } = Promise.withResolvers<void>();
    setImmediate(resolve);
    await promise;
  }
}

test(
  '200 conversations run at a time, with flat memory and a bounded delay of the event loop',
  { timeout: 600_000 },
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-concurrent-'));
    await using store = await sqliteStore({ path: join(directory.path, 'varve.db') });
    await using model = await startModel();
    await using running = await runningServer([], { store, maxRuns: conversations });
    await using listening = await running.server.listen(0);
    const infos = await Promise.all(
      Array.from({ length: conversations }, () =>
        running.create(requestFor({ ...running.model, url: model.url }, running.workspace)),
      ),
    );
    const ids = infos.map(({ id }) => id);
    const followed = ids.slice(0, 20);
    const clients = await Promise.all(
      followed.map((id) => connectSocket(`${listening.url}/sockets/events/${id}?session_api_key=${testKey}`)),
    );
    const round = async (number: number): Promise<void> => {
      await Promise.all(ids.map((id) => running.send('POST', `/${id}/events`, message('Go.', true))));
      await Promise.all(ids.map((id) => running.status(id, ['finished'], number)));
    };
    const usual = await delayDuring(plainWork);
    const heaps: number[] = [];
    const p99 = await delayDuring(async () => {
      for (let number = 1; number <= rounds; number += 1) {
        await round(number);
        heaps.push(heapBytes());
      }
    });
    // A live conversation keeps its view, which grows by some kilobytes in each round.
    const [, second = 0] = heaps;
    expect(heaps.at(-1)).toBeLessThan(second * 1.5 + 30e6);
    expect(p99).toBeLessThan(usual * 20 + 500);
    for (const client of clients) {
      const statuses = client.texts.filter((text) => text.includes('"key":"execution_status","value":"finished"'));
      expect(statuses).toHaveLength(rounds);
      client.socket.terminate();
    }
  },
);
