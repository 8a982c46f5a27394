import { z } from 'zod';
import { text, type Content } from '../content.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Ask the agent that models the user what the user means. */
export const ConsultTomAction = defineAction('ConsultTomAction', {
  reason: z.string().describe('Why it is asked.'),
  use_user_message: z.boolean().default(true).describe('Ask about the last user message.'),
  custom_query: z.exactOptional(z.string()).describe('Ask this instead.'),
});

/** What it thinks the user means, how sure it is of that from 0 to 1, and why. */
export const ConsultTomObservation = defineObservation(
  'ConsultTomObservation',
  {
    suggestions: z.string().default(''),
    confidence: z.exactOptional(z.number()),
    reasoning: z.exactOptional(z.string()),
  },
  ({ content, suggestions, confidence, reasoning }) =>
    withLines(content, [
      suggestions,
      typeof reasoning === 'string' && reasoning !== '' && `Why: ${reasoning}`,
      typeof confidence === 'number' && `Confidence: ${Math.round(confidence * 100)} %`,
    ]),
);

/** Let the agent that models the user learn from past conversations. */
export const SleeptimeComputeAction = defineAction('SleeptimeComputeAction', {});

/** What it learned. */
export const SleeptimeComputeObservation = defineObservation(
  'SleeptimeComputeObservation',
  { message: z.string().default(''), sessions_processed: z.number().int().default(0) },
  ({ content, message, sessions_processed: count }) =>
    withLines(content, [typeof count === 'number' && `Conversations taken in: ${count}.`, message]),
);

/** The reference keeps what these tools say in fields, not in `content`. */
function withLines(content: readonly Content[], lines: readonly unknown[]): readonly Content[] {
  const said = lines.filter((line) => typeof line === 'string' && line !== '');
  return said.length === 0 ? content : [...content, text(said.join('\n'))];
}
