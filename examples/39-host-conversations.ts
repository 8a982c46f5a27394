// Hosts conversations without HTTP: a process is killed in the middle of a run, and another one continues it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '@varve/agent';
import { createHost, type Host } from '@varve/host';
import { openaiChat } from '@varve/llm';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import type { EventStore } from '@varve/storage';
import { sqliteScheme } from '@varve/storage/sqlite';
import { finish } from '@varve/tools';

const id = '0123456789abcdef0123456789abcdef';

/** Hosts an agent of this program: conversations are stored with its name. */
function hostOf(store: EventStore, baseUrl: string): Host {
  const model = openaiChat({ model: 'scripted', baseUrl, apiKey: 'not-a-key' });
  const support = defineAgent({ model, tools: () => [finish()] });
  return createHost({ store, agents: { support }, maxRuns: 2 });
}

/** Creates a conversation and starts a run, which is queued and executed in the background. */
async function work(directory: string, modelUrl: string): Promise<void> {
  const host = hostOf(await sqliteScheme(join(directory, 'log.db')), modelUrl);
  await host.create({ agent: 'support', workspace: directory, id });
  await host.send(id, 'Fix the test.');
}

/** Starts this file again, kills it when the model receives its request, and continues what it left. */
async function crashAndRecover(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-host-'));
  let worker: ChildProcess | undefined;
  await using model = await scriptedServer(
    (function* (): Generator<ScriptedTurn> {
      worker?.kill('SIGKILL');
      yield { text: 'This reply is lost.' };
      yield { text: 'The test passes now.' };
    })(),
  );
  const flags = ['--conditions=@varve/source', import.meta.filename, directory, model.url];
  worker = spawn(process.execPath, flags, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = await once(worker, 'exit');
  console.log('The first process ended with', signal);

  await using store = await sqliteScheme(join(directory, 'log.db'));
  await using host = hostOf(store, model.url);
  await host.recover();
  await host.use(id, async ({ runs, conversation }) => {
    await runs.idle();
    console.log('The run is', conversation.state.status, 'after', model.requests.length, 'requests');
  });
  await rm(directory, { recursive: true });
}

const [directory, modelUrl] = process.argv.slice(2);
if (directory && modelUrl) await work(directory, modelUrl);
else await crashAndRecover();
