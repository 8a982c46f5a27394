import { defineTool, type Effect, type Tool } from '@varve/tools';
import { z } from 'zod';

/** A tool that counts how often each text was really carried out. */
export interface CountingTool {
  /** Makes one; all that it makes count together. */
  readonly tool: () => Tool;
  /** Text to number of executions. */
  readonly runs: ReadonlyMap<string, number>;
}

/** Makes a tool whose only effect is to be counted: what tests of "never twice" look at. */
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
      annotations: { readOnlyHint: effect === 'read' },
      effect,
      execute: async ({ text }) => {
        runs.set(text, (runs.get(text) ?? 0) + 1);
        return `Recorded ${text}.`;
      },
    });
  return { tool, runs };
}
