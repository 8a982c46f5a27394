import { safeText } from '@varve/events/text';
import type { MockNotice } from '@varve/llm';

const plain = {
  'call-in-reasoning': 'The model wrote its call into its reasoning. It was taken from there.',
  'sent-again': 'The reply was cut off inside a call, so the model was asked once more.',
  'no-stop-strings': 'The server takes no stop strings: replies may be longer than they need to be.',
} as const;

/** Tells a person what was put right or left out while calls were read from the text of a reply. */
export function describeNotice(notice: MockNotice): string {
  if (notice.kind === 'dropped-text') {
    return `The model wrote ${notice.chars} more characters after its call, perhaps another call. They were left out: one call at a time.`;
  }
  if (notice.kind !== 'repeated-parameter') return plain[notice.kind];
  return safeText(`The model gave ${notice.parameter} of ${notice.call} twice. The last value counts.`);
}
