// Hosts fifty conversations without HTTP: a process is killed in the middle of their runs, and started again.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '@varve/agent';
import { createHost } from '@varve/host';
import { openaiChat } from '@varve/llm';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish } from '@varve/tools';

/** Gives each of the conversations a task, once however often it is called, and returns their states. */
async function work(directory: string, baseUrl: string): Promise<readonly string[]> {
  const model = openaiChat({ model: 'scripted', baseUrl, apiKey: 'not-a-key' });
  const support = defineAgent({ model, tools: [finish()] });
  await using store = await sqliteStore({ path: join(directory, 'log.db') });
  await using host = createHost({ store, agents: { support } });
  await host.recover();
  const states = Array.from({ length: 50 }, async (_, ticket) => {
    const id = await host.create({ agent: 'support', id: ticket.toString(16).padStart(32, '0') });
    await host.send(id, `Answer ticket ${ticket}.`, { id });
    return host.use(id, async ({ runs, conversation }) => {
      await runs.idle();
      return conversation.state.status;
    });
  });
  return await Promise.all(states);
}

/** Starts this file as a process, kills it when the model is asked for the twentieth time, and does its work again. */
async function crashAndRecover(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-host-'));
  let worker: ChildProcess | undefined;
  await using model = await scriptedServer(
    (function* (): Generator<ScriptedTurn> {
      for (let request = 1; ; request++) {
        if (request === 20) worker?.kill('SIGKILL');
        yield { text: 'It is fixed.' };
      }
    })(),
  );
  const flags = ['--conditions=@varve/source', import.meta.filename, directory, model.url];
  worker = spawn(process.execPath, flags, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = await once(worker, 'exit');
  console.log('The first process ended with', signal);
  const states = await work(directory, model.url);
  console.log(states.filter((state) => state === 'finished').length, 'of', states.length, 'are finished');
  console.log('Requests that were sent twice are at most eight:', model.requests.length - states.length <= 8);
  await rm(directory, { recursive: true });
}

const [directory, modelUrl] = process.argv.slice(2);
if (directory && modelUrl) await work(directory, modelUrl);
else await crashAndRecover();
