import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { rollingWindow, type Condenser } from '@varve/condensers';
import { openaiChat } from '@varve/llm';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool } from '@varve/tools';
import type { Loop } from './loop.ts';
import { note } from './note.ts';

/** varve with its default store, which waits for the disk; the view grows with every step. */
export const varveLoop: Loop = loopWith({});

/** The same with calls that change something, as most calls of a coding agent do: each waits for the disk. */
export const writesLoop: Loop = loopWith({ effect: 'write' });

/** The first loop without waiting for the disk: the cost of a step without the disk. */
export const bufferedLoop: Loop = loopWith({ durability: 'buffered' });

/** The first loop with a condensed view, so that requests keep their length. */
export const flatLoop: Loop = loopWith({ condenser: rollingWindow({ maxEvents: 100 }) });

interface Variant {
  readonly condenser?: Condenser;
  readonly durability?: 'fsync' | 'buffered';
  readonly effect?: 'read' | 'write';
}

function loopWith({ condenser, durability = 'fsync', effect = 'read' }: Variant): Loop {
  return async ({ url, steps, dir, onStep }) => {
    await using store = await sqliteStore({ path: join(dir, 'bench.db'), durability });
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
      model: openaiChat({ model: 'bench', baseUrl: `${url}/v1` }),
      tools: () => [tool],
      budget: { maxIterations: Number.MAX_SAFE_INTEGER },
      ...(condenser && { condenser }),
    });
    await using conversation = await Conversation.create({ agent, store, workspace: dir });
    await conversation.send(note.task);
    await conversation.run({ maxIterations: steps });
  };
}
