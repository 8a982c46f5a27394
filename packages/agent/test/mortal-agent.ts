import { appendFileSync } from 'node:fs';
import { textOf } from '@varve/events';
import type { ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { openStore, type EventStore } from '@varve/storage';
import { directoryScheme } from '@varve/storage/directory';
import { sqliteScheme } from '@varve/storage/sqlite';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';
import { defineAgent, type Agent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';

/** Options of a process that may be killed. */
interface MortalOptions {
  readonly storeUrl: string;
  /** File to which `write` calls append a line: the real effects. */
  readonly effects: string;
  /** Number of concurrent calls of one reply. */
  readonly concurrency: number;
  /**
   * Called at every point where the process may die: around each append and each effect, and during the model call.
   */
  readonly point: () => void;
}

const conversationId = '9'.repeat(32);

/** Work of a process: runs the conversation, or resumes it. */
export async function work(options: Omit<MortalOptions, 'point'>, point: () => void) {
  const { agent, store, disk } = await mortalAgent({ ...options, point });
  const begun = { agent, store, id: conversationId, workspace: process.cwd() };
  const conversation = await Conversation.open(begun).catch(() => Conversation.create(begun));
  if (conversation.state.lastUserMessageId === undefined) await conversation.send('Record a, b, c and d.');
  const { reason } = await conversation.run();
  return { conversation, reason, disk };
}

const texts = ['a', 'b', 'c', 'd'];

/** Returns an agent and a store that call `point` wherever a process may die. Equal options lead to equal work. */
async function mortalAgent({ storeUrl, effects, concurrency, point }: MortalOptions) {
  const disk = await openStore(storeUrl, { dir: directoryScheme, sqlite: sqliteScheme });
  const store: EventStore = aroundAppends(disk, async (append) => {
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
    resources: ({ text }) => [text],
    execute: async ({ text }) => {
      point();
      appendFileSync(effects, `${text}\n`);
      point();
      return `Recorded ${text}.`;
    },
  });
  const model = scriptedModel(
    Array.from({ length: 20 }, () => (request: ModelRequest) => {
      point();
      return nextTurn(request);
    }),
  );
  const agent: Agent = defineAgent({ model, tools: () => [record, finish()], concurrency });
  return { agent, store, disk };
}

/** Records the texts that are not in the messages yet, two at a time; texts with an unknown outcome are skipped. */
function nextTurn({ messages }: ModelRequest): ScriptedTurn {
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made);
  const results = new Map(messages.map(({ tool_call_id: id, content }) => [id, textOf(content)]));
  const isSettled = (text: string): boolean =>
    calls.some((call) => call.arguments.includes(`"${text}"`) && /Recorded|outcome/.test(results.get(call.id) ?? ''));
  const open = texts.filter((text) => !isSettled(text)).slice(0, 2);
  return open.length === 0
    ? { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] }
    : { calls: open.map((text) => ({ name: 'record', arguments: { text } })) };
}
