import { jsonCall } from './json-call.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

/** A fence that ends the text. */
const fence = /(?:^|\n)[ \t]*```(?:json|tool_call)?[ \t]*\n/g;

/** One call as JSON: the whole text, or what stands in a code fence at its end. */
export function readJsonCall({ text }: CallText): TextCalls | undefined {
  const whole = text.trim();
  if (whole.startsWith('{')) return found('', whole);
  if (!whole.endsWith('```')) return undefined;
  const last = [...whole.matchAll(fence)].at(-1);
  return last && found(whole.slice(0, last.index), whole.slice(last.index + last[0].length, -3));
}

function found(said: string, json: string): TextCalls | undefined {
  const call = jsonCall(json);
  return call && { leadingText: said, calls: [{ ...call, end: json.length }] };
}
