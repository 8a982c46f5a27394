// Hosts conversations without HTTP: a process is killed in the middle of a run, and another one continues it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { serverHost, startRequest } from '@varve/server/hosting';
import { sqliteScheme } from '@varve/storage/sqlite';

const id = '0123456789abcdef0123456789abcdef';

/** Creates a conversation and starts a run, which is queued and executed in the background. */
async function work(directory: string, modelUrl: string): Promise<void> {
  const store = await sqliteScheme(join(directory, 'log.db'));
  const { conversations } = serverHost({ store, home: directory, maxRuns: 2 });
  const llm = { model: 'openai/scripted', base_url: modelUrl, api_key: 'not-a-key' };
  const workspace = { working_dir: join(directory, 'project') };
  await conversations.create(
    startRequest().parse({ conversation_id: id, workspace, agent: { llm }, autotitle: false }),
  );
  await conversations.send(id, [{ type: 'text', text: 'Fix the test.', cache_prompt: false }], { run: true });
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
  await using host = serverHost({ store, home: directory });
  const { conversations } = host;
  await conversations.recover();
  await conversations.use(id, async (live) => {
    await live.hosted.runs.idle();
    const { status } = live.conversation.state;
    console.log('The run is', status, 'after', model.requests.length, 'requests');
  });
  await rm(directory, { recursive: true });
}

const [directory, modelUrl] = process.argv.slice(2);
if (directory && modelUrl) await work(directory, modelUrl);
else await crashAndRecover();
