import { appendFileSync } from 'node:fs';
import type { LanguageModel, ModelRequest } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { openStore, type EventStore } from '@varve/storage';
import { directoryScheme } from '@varve/storage/directory';
import { sqliteScheme } from '@varve/storage/sqlite';
import { defineTool, type Tool } from '@varve/tools';
import * as z from 'zod';
import type { Agent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';

/** Places of a process that may be killed. */
export interface MortalPlaces {
  readonly storeUrl: string;
  /** File to which `record` calls append a line: the real effects. */
  readonly effects: string;
}

/** Called at every point where the process may die: around each append and each effect, and during the model call. */
export type Point = () => void;

/** Parts of an agent that call `point` wherever a process may die. */
export interface MortalParts {
  readonly record: Tool;
  readonly modelOf: (turn: (request: ModelRequest) => ScriptedTurn) => LanguageModel;
}

/** Turn that ends a run. */
export const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Returns the tool and the models of an agent. Calls of one text run one after the other. */
export function mortalParts(effects: string, point: Point): MortalParts {
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
  const modelOf: MortalParts['modelOf'] = (turn) =>
    scriptedModel(
      Array.from({ length: 20 }, () => (request: ModelRequest) => {
        point();
        return turn(request);
      }),
    );
  return { record, modelOf };
}

/** Begins the conversation of an agent, or resumes it, and runs it after its first message. */
export async function workOf(
  agent: Agent,
  { storeUrl, id, point }: { readonly storeUrl: string; readonly id: string; readonly point: Point },
  sendFirst: (conversation: Conversation) => Promise<unknown>,
) {
  const disk = await openStore(storeUrl, { dir: directoryScheme, sqlite: sqliteScheme });
  const store: EventStore = aroundAppends(disk, async (append) => {
    point();
    const seqs = await append();
    point();
    return seqs;
  });
  const begun = { agent, store, id, workspace: process.cwd() };
  const conversation = await Conversation.open(begun).catch(() => Conversation.create(begun));
  if (conversation.state.lastUserMessageId === undefined) await sendFirst(conversation);
  const { reason } = await conversation.run();
  return { conversation, reason, disk };
}
