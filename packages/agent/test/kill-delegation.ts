import assert from 'node:assert/strict';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { readState } from '../src/log/read-log.ts';
import { dies } from './kill-process.ts';
import { skillText, work } from './mortal-parent.ts';

/**
 * Runs a conversation with hooks, a skill and two sub-agents in processes that are killed at these points, and
 * completes it in this process. Resolves with true if every process reached its point.
 *
 * @throws {AssertionError} when a write ran twice, a blocked message or call had an effect, a skill was activated
 * twice, or a task does not have exactly one conversation with one message.
 */
export async function killDelegation(at: readonly number[]): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-kill-delegation-'));
  const places = { storeUrl: `sqlite:${join(dir, 'log')}`, effects: join(dir, 'effects') };
  for (const death of at) {
    if (!(await dies({ module: 'mortal-parent.ts', options: places, at: death }))) return false;
  }
  const completed = await work(places, () => {});
  await using store = completed.disk;
  await using conversation = completed.conversation;
  const { reason } = completed;
  assert.equal(reason, 'finished');
  const { messages } = conversation.request();
  assert.deepEqual([conversation.state.pending, checkMessages(messages)], [[], []]);
  const text = JSON.stringify(messages);
  assert.ok(!text.includes('forbidden'), 'a blocked message reached the model');
  assert.equal(text.split(skillText).length - 1, 1, 'the skill is not in one message');
  const written = (await readFile(places.effects, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  assert.deepEqual(written, [...new Set(written)], 'a write ran twice');
  assert.ok(!written.includes('a'), 'a blocked call ran');
  const children = (await store.list()).items.filter((item) => item.id !== conversation.id);
  assert.equal(children.length, 2, 'a task has no conversation, or another one');
  for (const child of children) {
    const { status, view } = await readState(await store.read(child.id));
    const sent = view.events.filter((event) => MessageEvent.is(event) && event.source === 'user');
    assert.deepEqual([status, sent.length], ['finished', 1]);
  }
  return true;
}
