import { defineTool, type Effect, type Tool } from '@varve/tools';
import * as z from 'zod';

/** Tools that count the real executions per text. */
export interface CountingTool {
  /** Makes a tool; all tools share the counts. */
  readonly tool: () => Tool;
  /** Text to number of executions. */
  readonly runs: ReadonlyMap<string, number>;
}

/** Returns tools whose only effect is to be counted, for tests that nothing runs twice. */
export function countingTool({
  name = 'record',
  effect = 'write',
}: { name?: string; effect?: Effect } = {}): CountingTool {
  const runs = new Map<string, number>();
  const tool = (): Tool =>
    defineTool({
      name,
      description: 'Records a text.',
      input: z.object({ text: z.string().describe('What to record.') }),
      effect,
      execute: async ({ text }) => {
        runs.set(text, (runs.get(text) ?? 0) + 1);
        return `Recorded ${text}.`;
      },
    });
  return { tool, runs };
}
