import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkMessages } from '@varve/events/projections';
import { dies } from './kill-process.ts';
import { work } from './mortal-agent.ts';

/** Store of a round, and the points at which its processes die, one after the other. */
export interface KillRoundOptions {
  readonly scheme: 'sqlite' | 'dir';
  readonly concurrency: number;
  readonly at: readonly number[];
}

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
  for (const death of at) if (!(await dies({ module: 'mortal-agent.ts', options, at: death }))) return false;
  const completed = await work(options, () => {});
  await using _ = completed.disk;
  await using conversation = completed.conversation;
  const { reason } = completed;
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
