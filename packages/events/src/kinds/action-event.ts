import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { textContent } from '../content.ts';
import { criticResult } from './critic-result.ts';
import { defineEvent } from '../define-event.ts';
import { withFallback } from '../lenient.ts';
import { anyPayload } from '../define-payload.ts';
import { reasoningItem, thinkingBlock, toolCall } from '../message.ts';

/** Risk of a call, as estimated by the model or an analyzer. UNKNOWN is not on the scale of the others. */
export const securityRisk = lazy(() => withFallback(z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']), 'UNKNOWN'));
export type SecurityRisk = z.output<ReturnType<typeof securityRisk>>;

/**
 * Tool call of the model. All calls of one reply share `llm_response_id`; only the first contains thought and
 * reasoning. `action` is absent if the call could not be resolved or validated: such a call is never executed.
 */
export const ActionEvent = defineEvent('ActionEvent', {
  source: 'agent',
  fields: () => ({
    thought: z.array(textContent()),
    reasoning_content: z.exactOptional(z.string()),
    thinking_blocks: z.array(thinkingBlock()).default([]),
    responses_reasoning_item: z.exactOptional(reasoningItem()),
    action: z.exactOptional(anyPayload()),
    tool_name: z.string(),
    tool_call_id: z.string(),
    tool_call: toolCall(),
    llm_response_id: z.string(),
    security_risk: securityRisk().default('UNKNOWN'),
    critic_result: z.exactOptional(criticResult()),
    summary: z.exactOptional(z.string()),
  }),
  isForModel: true,
});
export type ActionEvent = ReturnType<typeof ActionEvent.create>;
