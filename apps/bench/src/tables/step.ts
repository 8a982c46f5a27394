import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { openaiChat } from '@varve/llm';
import type { EventStore } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool } from '@varve/tools';
import { z } from 'zod';
import { startModelServer, type ModelServer } from '../start-model-server.ts';
import { median, type Bench } from '../table.ts';

const steps = 1050;
const windows: readonly (readonly [name: string, from: number, to: number])[] = [
  ['1 to 50', 0, 50],
  ['475 to 525', 475, 525],
  ['1000 to 1050', 1000, 1050],
];

/** Own work per step: from the reply's last byte to the next request's last byte, against a bare fetch of the same bodies. */
export const step: Bench = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  try {
    using server = await startModelServer();
    const bodies: string[] = [];
    await using store = await sqliteStore({ path: join(dir, 'bench.db') });
    await runAgent(server, store, dir, recordingFetch(bodies));
    await server.gaps();
    await runAgent(server, store, dir);
    const agent = await server.gaps();
    await runFetch(server, bodies);
    const bare = await server.gaps();
    return {
      title: 'Own work per step',
      about: `Reply received to next request received, median ms over the steps; SQLite store with fsync, 200-byte results, one process each side. ${steps} steps.`,
      header: ['steps', 'request kB', 'bare fetch', 'varve', 'ratio'],
      rows: windows.map(([name, from, to]) =>
        row(name, bodies.slice(from, to), agent.slice(from, to), bare.slice(from, to)),
      ),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

function row(
  name: string,
  bodies: readonly string[],
  agent: readonly number[],
  bare: readonly number[],
): readonly string[] {
  const kilobytes = median(bodies.map((body) => body.length)) / 1000;
  return [
    name,
    kilobytes.toFixed(1),
    median(bare).toFixed(2),
    median(agent).toFixed(2),
    `${(median(agent) / median(bare)).toFixed(2)}×`,
  ];
}

function recordingFetch(bodies: string[]): typeof fetch {
  return (input, init) => {
    if (typeof init?.body === 'string') bodies.push(init.body);
    return fetch(input, init);
  };
}

async function runAgent(
  server: ModelServer,
  store: EventStore,
  workspace: string,
  fetcher?: typeof fetch,
): Promise<void> {
  const note = defineTool({
    name: 'note',
    description: 'Notes a text.',
    input: z.object({ text: z.string().describe('The text.') }),
    effect: 'read',
    execute: async () => 'x'.repeat(200),
  });
  const model = openaiChat({ model: 'bench', baseUrl: `${server.url}/v1`, ...(fetcher && { fetch: fetcher }) });
  const agent = defineAgent({ model, tools: () => [note], budget: { maxIterations: steps } });
  await using conversation = await Conversation.create({ agent, store, workspace });
  await conversation.send('Note what you see.');
  await conversation.run();
}

async function runFetch({ url }: ModelServer, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.json();
  }
}
