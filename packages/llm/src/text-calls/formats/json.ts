import { jsonCall } from './json-call.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

/** Opening line of a code fence that may hold a call. */
const fence = /(?:^|\n)[ \t]*```(?:json|tool_call)?[ \t]*\n/g;

/** Reads one call written as JSON, as the whole text or in a code fence at its end. */
export function readJsonCall({ text }: CallText): TextCalls | undefined {
  const whole = text.trim();
  if (whole.startsWith('{')) return callAfter('', whole);
  if (!whole.endsWith('```')) return undefined;
  const last = [...whole.matchAll(fence)].at(-1);
  return last && callAfter(whole.slice(0, last.index), whole.slice(last.index + last[0].length, -3));
}

function callAfter(leadingText: string, json: string): TextCalls | undefined {
  const call = jsonCall(json);
  return call && { leadingText, calls: [{ ...call, end: json.length }] };
}
