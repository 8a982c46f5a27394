import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { textOf } from '@varve/events';
import type { ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { openStore } from '@varve/storage';
import { sqliteScheme } from '@varve/storage/sqlite';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type Agent, type SubAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { delegationTools } from '../src/delegation-tools/delegation-kinds.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import { defineSkill } from '@varve/skills';
import { aroundAppends } from '../src/testing/around-appends.ts';

/** Places of a round. */
interface Places {
  readonly storeUrl: string;
  /** File to which calls append a line: the real effects. */
  readonly effects: string;
}

const conversationId = '8'.repeat(32);
/** Text of the skill that the message activates. */
export const skillText = 'Frobs are counted from zero.';

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
export async function work(places: Places, point: () => void) {
  const { agent, store, disk } = await mortalParent(places, point);
  const begun = { agent, store, id: conversationId, workspace: process.cwd() };
  const conversation = await Conversation.open(begun).catch(() => Conversation.create(begun));
  if (conversation.state.lastUserMessageId === undefined) {
    const blocked = await conversation.send('This is forbidden.').catch((error: unknown) => error);
    assert.ok(blocked instanceof Error && 'code' in blocked && blocked.code === 'blocked');
    await conversation.send('Do the frob work.');
  }
  const { reason } = await conversation.run();
  return { conversation, reason, disk };
}
