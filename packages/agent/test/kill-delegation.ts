import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import type { ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { openStore } from '@varve/storage';
import { sqliteScheme } from '@varve/storage/sqlite';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type Agent } from '../src/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { delegationTools } from '../src/delegation/delegation-kinds.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import type { SubAgent } from '../src/delegation/sub-agent.ts';
import { readState } from '../src/log/read-log.ts';
import { defineSkill } from '../src/skills/define-skill.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { dies } from './kill-process.ts';

/** Directories of a round. */
interface Places {
  readonly storeUrl: string;
  /** File to which calls append a line: the real effects. */
  readonly effects: string;
}

const id = '8'.repeat(32);
const skillText = 'Frobs are counted from zero.';

/** Hooks: the message about secrets, and the call with the text `a`, are blocked. */
const hooks = {
  UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'grep -q forbidden && exit 2 || exit 0' }] }],
  PreToolUse: [
    { matcher: 'record', hooks: [{ type: 'command', command: `grep -q '"text":"a"' && exit 2 || exit 0` }] },
  ],
} as const;

/** Returns an agent with hooks, a skill and a sub-agent, and a store; both call `point` wherever a process may die. */
async function mortalParent({ storeUrl, effects }: Places, point: () => void) {
  const disk = await openStore(storeUrl, { sqlite: sqliteScheme });
  const store = aroundAppends(disk, async (append) => {
    point();
    const seqs = await append();
    point();
    return seqs;
  });
  const record = defineTool({
    name: 'record',
    description: 'Records a text.',
    input: z.object({ text: z.string().describe('What to record.') }),
    effect: 'write',
    execute: async ({ text }) => {
      point();
      appendFileSync(effects, `${text}\n`);
      point();
      return `Recorded ${text}.`;
    },
  });
  const modelOf = (turn: (request: ModelRequest) => ScriptedTurn) =>
    scriptedModel(
      Array.from({ length: 20 }, () => (request: ModelRequest) => {
        point();
        return turn(request);
      }),
    );
  const helper: SubAgent = {
    name: 'helper',
    description: 'Records.',
    create: (parent, context) => derivedAgent(parent, { instructions: '', model: modelOf(childTurn) }, context),
  };
  const agent: Agent = defineAgent({
    model: modelOf(parentTurn),
    tools: (context) => [record, ...delegationTools(context), finish()],
    subAgents: [helper],
    skills: [defineSkill({ name: 'frob', content: skillText, trigger: { type: 'keyword', keywords: ['frob'] } })],
    hooks,
    concurrency: 2,
  });
  return { agent, store, disk };
}

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function parentTurn({ messages }: ModelRequest): ScriptedTurn {
  if (messages.some(({ role }) => role === 'tool')) return done;
  const tasks = ['x', 'y'].map((text) => ({ name: 'task', arguments: { prompt: `Record ${text}.` } }));
  return { calls: [{ name: 'record', arguments: { text: 'a' } }, ...tasks] };
}

function childTurn({ messages }: ModelRequest): ScriptedTurn {
  if (messages.some(({ role }) => role === 'tool')) return done;
  const prompt = messages.map(({ content }) => textOf(content)).join('\n');
  return { calls: [{ name: 'record', arguments: { text: prompt.includes('Record x.') ? 'x' : 'y' } }] };
}

/** Work of a process: a message that a hook blocks, one that activates a skill, and a run; or what is left of it. */
export async function work(places: Places, point: () => void): Promise<void> {
  const { agent, store } = await mortalParent(places, point);
  await complete(agent, store);
}

async function complete(agent: Agent, store: Parameters<typeof Conversation.create>[0]['store']) {
  const begun = { agent, store, id, workspace: process.cwd() };
  const conversation = await Conversation.open(begun).catch(() => Conversation.create(begun));
  if (conversation.state.lastUserMessageId === undefined) {
    const blocked = await conversation.send('This is forbidden.').catch((error: unknown) => error);
    assert.ok(blocked instanceof Error && 'code' in blocked && blocked.code === 'blocked');
    await conversation.send('Do the frob work.');
  }
  const { reason } = await conversation.run();
  return { conversation, reason };
}

/**
 * Runs a conversation with hooks, a skill and two sub-agents in processes that are killed at these points, and
 * completes it in this process. Resolves with true if every process reached its point.
 *
 * @throws {AssertionError} when a write ran twice, a blocked message or call had an effect, a skill was activated twice,
 * or a task does not have exactly one conversation with one message.
 */
export async function killDelegation(at: readonly number[]): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-kill-delegation-'));
  const places = { storeUrl: `sqlite:${join(dir, 'log')}`, effects: join(dir, 'effects') };
  for (const death of at) {
    if (!(await dies({ module: 'kill-delegation.ts', options: places, at: death }))) return false;
  }
  const { agent, disk } = await mortalParent(places, () => {});
  await using store = disk;
  const { conversation, reason } = await complete(agent, store);
  await using _ = conversation;
  assert.equal(reason, 'finished');
  const { messages } = conversation.request();
  assert.deepEqual([conversation.state.pending, checkMessages(messages)], [[], []]);
  const text = JSON.stringify(messages);
  assert.ok(!text.includes('forbidden'), 'a blocked message reached the model');
  assert.equal(text.split(skillText).length - 1, 1, 'the skill is not in one message');
  const written = (await readFile(places.effects, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  assert.deepEqual(written, [...new Set(written)], 'a write ran twice');
  assert.ok(!written.includes('a'), 'a blocked call ran');
  const children = (await store.list()).items.filter((one) => one.id !== id);
  assert.equal(children.length, 2, 'a task has no conversation, or another one');
  for (const child of children) {
    const { status, view } = await readState(await store.read(child.id));
    const sent = view.events.filter((event) => MessageEvent.is(event) && event.source === 'user');
    assert.deepEqual([status, sent.length], ['finished', 1]);
  }
  return true;
}
