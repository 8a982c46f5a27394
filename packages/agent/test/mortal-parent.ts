import assert from 'node:assert/strict';
import { textOf } from '@varve/events';
import type { ModelRequest } from '@varve/llm';
import type { ScriptedTurn } from '@varve/llm/testing';
import { defineSkill } from '@varve/skills';
import { finish } from '@varve/tools';
import { defineAgent, type SubAgent } from '../src/agent/agent.ts';
import { delegationTools } from '../src/delegation-tools/delegation-kinds.ts';
import { derivedAgent } from '../src/delegation/derived-agent.ts';
import { done, mortalParts, workOf, type MortalPlaces, type Point } from './mortal.ts';

/** Text of the skill that the message activates. */
export const skillText = 'Frobs are counted from zero.';

/** Hooks: the message about secrets, and the call with the text `a`, are blocked. */
const hooks = {
  UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'grep -q forbidden && exit 2 || exit 0' }] }],
  PreToolUse: [
    { matcher: 'record', hooks: [{ type: 'command', command: `grep -q '"text":"a"' && exit 2 || exit 0` }] },
  ],
} as const;

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

/**
 * Work of a process with hooks, a skill and a sub-agent: a message that a hook blocks, one that activates a skill, and
 * a run; or what is left of it.
 */
export async function work({ storeUrl, effects }: MortalPlaces, point: Point) {
  const { record, modelOf } = mortalParts(effects, point);
  const helper: SubAgent = {
    name: 'helper',
    description: 'Records.',
    create: (parent, context) => derivedAgent(parent, { instructions: '', model: modelOf(childTurn) }, context),
  };
  const agent = defineAgent({
    model: modelOf(parentTurn),
    tools: (context) => [record, ...delegationTools(context), finish()],
    subAgents: [helper],
    skills: [defineSkill({ name: 'frob', content: skillText, trigger: { type: 'keyword', keywords: ['frob'] } })],
    hooks,
    concurrency: 2,
  });
  return workOf(agent, { storeUrl, id: '8'.repeat(32), point }, async (conversation) => {
    const blocked = await conversation.send('This is forbidden.').catch((error: unknown) => error);
    assert.ok(blocked instanceof Error && 'code' in blocked && blocked.code === 'blocked');
    await conversation.send('Do the frob work.');
  });
}
