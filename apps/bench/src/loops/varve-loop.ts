import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { mockFunctionCalling, openaiChat, type LanguageModel } from '@varve/llm';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool } from '@varve/tools';
import type { Loop } from './loop.ts';
import { note } from './note.ts';

/** varve with its default store, which waits for the disk; the view grows with every step. */
export const varveLoop: Loop = loopWith({});

/** The same with calls that change something, as most calls of a coding agent do: each waits for the disk. */
export const writesLoop: Loop = loopWith({ effect: 'write' });

/** The first loop with calls that the model writes as text. */
export const mockLoop: Loop = loopWith({ isMock: true });

interface Variant {
  readonly effect?: 'read' | 'write';
  readonly isMock?: boolean;
}

function loopWith({ effect = 'read', isMock = false }: Variant): Loop {
  return async ({ url, steps, dir, onStep }) => {
    await using store = await sqliteStore({ path: join(dir, 'bench.db') });
    const tool = defineTool({
      name: note.name,
      description: note.description,
      input: note.input,
      effect,
      execute: async () => {
        onStep();
        return note.result;
      },
    });
    const agent = defineAgent({
      model: isMock ? mockFunctionCalling()(chat(`${url}/text/v1`)) : chat(`${url}/v1`),
      tools: () => [tool],
      budget: { maxIterations: Number.MAX_SAFE_INTEGER },
    });
    await using conversation = await Conversation.create({ agent, store, workspace: dir });
    await conversation.send(note.task);
    await conversation.run({ maxIterations: steps });
  };
}

function chat(baseUrl: string): LanguageModel {
  return openaiChat({ model: 'bench', baseUrl });
}
