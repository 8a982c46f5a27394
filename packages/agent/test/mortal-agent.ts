import { textOf } from '@varve/events';
import type { ModelRequest } from '@varve/llm';
import type { ScriptedTurn } from '@varve/llm/testing';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { done, mortalParts, workOf, type MortalPlaces, type Point } from './mortal.ts';

/** Options of a process that may be killed. */
interface MortalOptions extends MortalPlaces {
  /** Number of concurrent calls of one reply. */
  readonly concurrency: number;
}

const texts = ['a', 'b', 'c', 'd'];

/** Work of a process: runs the conversation, or resumes it. Equal options lead to equal work. */
export async function work({ storeUrl, effects, concurrency }: MortalOptions, point: Point) {
  const { record, modelOf } = mortalParts(effects, point);
  const agent = defineAgent({ model: modelOf(nextTurn), tools: () => [record, finish()], concurrency });
  return workOf(agent, { storeUrl, id: '9'.repeat(32), point }, async (conversation) =>
    conversation.send('Record a, b, c and d.'),
  );
}

/** Records the texts that are not in the messages yet, two at a time; texts with an unknown outcome are skipped. */
function nextTurn({ messages }: ModelRequest): ScriptedTurn {
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made);
  const results = new Map(messages.map(({ tool_call_id: id, content }) => [id, textOf(content)]));
  const isSettled = (text: string): boolean =>
    calls.some((call) => call.arguments.includes(`"${text}"`) && /Recorded|outcome/.test(results.get(call.id) ?? ''));
  const open = texts.filter((text) => !isSettled(text)).slice(0, 2);
  return open.length === 0 ? done : { calls: open.map((text) => ({ name: 'record', arguments: { text } })) };
}
