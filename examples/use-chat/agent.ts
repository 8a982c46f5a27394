import { alwaysConfirm, defineAgent } from '@varve/agent';
import { openaiChat, retry } from '@varve/llm';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const deleteLogs = defineTool({
  name: 'delete_logs',
  description: 'Deletes the logs of a year.',
  input: z.object({ year: z.number().describe('The year.') }),
  effect: 'idempotent',
  execute: async ({ year }) => `The logs of ${year} are deleted.`,
});

/** The agent of the page. Its model may be one of the AI SDK, too: `aiSdkModel(anthropic('claude-sonnet-4-5'))`. */
export const agent = defineAgent({
  model: retry()(openaiChat({ model: 'scripted', baseUrl: process.env['MODEL_URL'] ?? '' })),
  tools: [deleteLogs, finish()],
  confirmation: alwaysConfirm(),
});
