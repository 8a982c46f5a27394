import { safeText } from '@varve/events/text';
import type { MockNotice } from '@varve/llm';

/** Tells a person what was put right or left out while calls were read from the text of a reply. */
export function describeNotice(notice: MockNotice): string {
  switch (notice.kind) {
    case 'dropped-text':
      return `The model wrote ${notice.chars} more characters after its call, perhaps another call. They were left out: one call at a time.`;
    case 'repeated-parameter': {
      const { parameter, call } = notice;
      return safeText(`The model gave ${parameter} of ${call} twice. The last value counts.`);
    }
    case 'call-in-reasoning':
      return 'The model wrote its call into its reasoning. It was taken from there.';
    case 'sent-again':
      return 'The reply was cut off inside a call, so the model was asked once more.';
    case 'no-stop-strings':
      return 'The server takes no stop strings: replies may be longer than they need to be.';
  }
}
