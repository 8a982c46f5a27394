import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool } from 'ai';
import type { Loop } from './loop.ts';
import { note } from './note.ts';

/** The loop of the AI SDK, which stores nothing. */
export const aiSdkLoop: Loop = async ({ url, steps, onStep }) => {
  const provider = createOpenAICompatible({ name: 'bench', baseURL: `${url}/v1` });
  await generateText({
    model: provider('bench'),
    prompt: note.task,
    stopWhen: isStepCount(steps),
    tools: {
      [note.name]: tool({
        description: note.description,
        inputSchema: note.input,
        execute: async () => {
          onStep();
          return note.result;
        },
      }),
    },
  });
};
