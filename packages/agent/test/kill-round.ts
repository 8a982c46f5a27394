import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkMessages } from '@varve/events/projections';
import { Conversation } from '../src/conversation/conversation.ts';
import { mortalAgent } from './mortal-agent.ts';

/** Store of a round, and the points at which its processes die, one after the other. */
export interface KillRoundOptions {
  readonly scheme: 'sqlite' | 'dir';
  readonly concurrency: number;
  readonly at: readonly number[];
}

const id = '9'.repeat(32);

/** Program of a process. Its modules are compiled once for all processes: compiling is most of their cost. */
const source = (options: object, at: number): string => `
  import { enableCompileCache, flushCompileCache } from 'node:module';
  enableCompileCache(${JSON.stringify(join(tmpdir(), 'varve-compiled'))});
  const { Conversation } = await import('../src/conversation/conversation.ts');
  const { mortalAgent } = await import('./mortal-agent.ts');
  flushCompileCache();
  let points = 0;
  const point = () => {
    points += 1;
    if (points !== ${at}) return;
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  const { agent, store } = await mortalAgent({ ...${JSON.stringify(options)}, point });
  const options = { agent, store, id: '${id}', workspace: process.cwd() };
  const conversation = await Conversation.open(options).catch(() => Conversation.create(options));
  if (conversation.state.lastUserMessageId === undefined) await conversation.send('Record a, b, c and d.');
  await conversation.run();`;

/**
 * Runs one conversation in several processes, kills each at its point, and completes the conversation in this process.
 * Resolves with true if every process reached its point.
 *
 * @throws {AssertionError} when a write ran twice, a call was lost, a request is invalid or a call is
 * open.
 */
export async function killRound({ scheme, concurrency, at }: KillRoundOptions): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-kill-agent-'));
  const options = { storeUrl: `${scheme}:${join(dir, 'log')}`, effects: join(dir, 'effects'), concurrency };
  for (const death of at) if (!(await dies(source(options, death)))) return false;
  const { agent, disk } = await mortalAgent({ ...options, point: () => {} });
  await using store = disk;
  const begun = { agent, store, id, workspace: dir };
  await using conversation = await Conversation.open(begun).catch(() => Conversation.create(begun));
  if (conversation.state.lastUserMessageId === undefined) await conversation.send('Record a, b, c and d.');
  const { reason } = await conversation.run();
  assert.equal(reason, 'finished');
  assert.deepEqual([conversation.state.pending, checkMessages(conversation.request().messages)], [[], []]);
  const messages = JSON.stringify(conversation.request().messages);
  const written = (await readFile(options.effects, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  assert.deepEqual(written, [...new Set(written)], 'a write ran twice');
  const unknown = messages.split('The outcome of this record call is unknown').length - 1;
  const missing = ['a', 'b', 'c', 'd'].filter((text) => !written.includes(text));
  assert.ok(missing.length <= unknown, `${missing.join()} never ran, but ${unknown} outcomes are unknown`);
  assert.ok(unknown <= at.length * concurrency, `${unknown} outcomes are unknown after ${at.length} deaths`);
  return true;
}

async function dies(code: string): Promise<boolean> {
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', code];
  const working = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] });
  const [exitCode, signal] = (await once(working, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') assert.equal(exitCode, 0, 'the process failed by itself');
  return signal === 'SIGKILL';
}
