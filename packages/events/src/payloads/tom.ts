import * as z from 'zod';
import { text, type Content } from '../content.ts';
import { defineObservation } from '../define-payload.ts';

/** Assumed intent of the user, with a confidence from 0 to 1 and the reasoning. */
export const ConsultTomObservation = defineObservation(
  'ConsultTomObservation',
  () => ({
    suggestions: z.string().default(''),
    confidence: z.exactOptional(z.number()),
    reasoning: z.exactOptional(z.string()),
  }),
  ({ content, suggestions, confidence, reasoning }) =>
    withLines(content, [
      suggestions,
      typeof reasoning === 'string' && reasoning !== '' && `Why: ${reasoning}`,
      typeof confidence === 'number' && `Confidence: ${Math.round(confidence * 100)} %`,
    ]),
);

/** Result of learning from past conversations. */
export const SleeptimeComputeObservation = defineObservation(
  'SleeptimeComputeObservation',
  () => ({ message: z.string().default(''), sessions_processed: z.number().int().default(0) }),
  ({ content, message, sessions_processed: count }) =>
    withLines(content, [typeof count === 'number' && `Conversations taken in: ${count}.`, message]),
);

/** Appends text of fields to the content: the reference stores the results of these tools in fields. */
function withLines(content: readonly Content[], lines: readonly unknown[]): readonly Content[] {
  const texts = lines.filter((line) => typeof line === 'string' && line !== '');
  return texts.length === 0 ? content : [...content, text(texts.join('\n'))];
}
