import { text } from '@varve/events';
import { FinishAction, FinishObservation } from '@varve/events/payloads';
import { defineBuiltinTool } from './define-tool.ts';
import type { Tool } from './tool.ts';

/** Lets the model say that the task is over. Ending the run is up to the agent. */
export function finish(): Tool<{ readonly message: string }> {
  return defineBuiltinTool({
    name: 'finish',
    description:
      'Ends the task. Call it when everything asked for is done and checked, or when you cannot go on; the message tells the user what was done, what was not, and what they need to know.',
    input: FinishAction,
    output: FinishObservation,
    definitionKind: 'FinishTool',
    annotations: {
      title: 'finish',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    effect: 'read',
    resources: () => [],
    execute: async ({ message }) => ({ content: [text(message || 'The task is over.')] }),
  });
}
