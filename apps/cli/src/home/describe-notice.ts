import type { MockNotice } from '@varve/llm';

const plain = {
  'call-in-reasoning': 'The model wrote its call into its reasoning, and the call was read from there.',
  'sent-again': 'The reply was cut off inside a call, so the request was sent again.',
  'no-stop-strings': 'The server does not support stop strings: replies may be longer than necessary.',
} as const;

/** Describes a correction or omission that was made while calls were parsed from the text of a reply. */
export function describeNotice(notice: MockNotice): string {
  if (notice.kind === 'dropped-text') {
    return `The model wrote ${notice.chars} more characters after its call, perhaps another call. They were ignored: one call per reply.`;
  }
  return plain[notice.kind];
}
