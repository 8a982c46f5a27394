import * as z from 'zod';
import { textContent } from '../content.ts';
import { defineEvent } from '../define-event.ts';
import { anyObservation } from '../define-payload.ts';
import { presentObservation } from '../payloads/present-observation.ts';

/** Result of a tool for one action. */
export const ObservationEvent = defineEvent('ObservationEvent', {
  source: 'environment',
  fields: () => ({
    tool_name: z.string(),
    tool_call_id: z.string(),
    observation: anyObservation(),
    action_id: z.string(),
    extended_content: z.array(textContent()).default([]),
  }),
  toMessage: ({ observation: result, extended_content, tool_name, tool_call_id }) => ({
    role: 'tool',
    content: [...presentObservation(result), ...extended_content],
    tool_call_id,
    name: tool_name,
    thinking_blocks: [],
  }),
});
export type ObservationEvent = ReturnType<typeof ObservationEvent.create>;
