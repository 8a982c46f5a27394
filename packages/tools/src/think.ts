import { text } from '@varve/events';
import { ThinkAction, ThinkObservation } from '@varve/events/payloads';
import type { SharedTool } from './contract/tool.ts';
import { defineBuiltinTool } from './contract/define-tool.ts';

/** Returns the tool by which the model notes a thought between two actions. It has no effect. */
export function think(): SharedTool<{ readonly thought: string }> {
  return defineBuiltinTool({
    name: 'think',
    description:
      'Writes down a thought: a plan, a comparison of ways to go, why a test fails. It changes nothing and fetches nothing; use it when a problem needs to be reasoned through before acting.',
    input: ThinkAction,
    output: ThinkObservation,
    definitionKind: 'ThinkTool',
    annotations: { title: 'think', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    execute: async () => ({ content: [text('The thought is noted.')] }),
  });
}
