import { skipSpace } from '../function-tags/tags.ts';
import { jsonCallsAt } from './json-call.ts';
import type { TextCallReader, TextCalls } from './text-call-format.ts';

/** Opening line of a code fence that may hold calls. */
const fence = /(?:^|\n)[ \t]*```(?:json|jsonc|tool_calls?|tool|xml|text)?[ \t]*\n/g;
/** A line that begins with an object or a list. */
const line = /\n[ \t]*(?=[{[])/g;

/** JSON of one call or a list of calls, in a code fence or not, at the end of the text. */
export const json: TextCallReader = {
  marks: [],
  isCode: true,
  read({ text }) {
    const whole = text.trimEnd();
    const first = skipSpace(whole, 0);
    const endOf = (match: RegExpExecArray): number => skipSpace(whole, match.index + match[0].length);
    const from = (match: RegExpExecArray): TextCalls | undefined =>
      callsFrom(whole, { start: match.index, begin: endOf(match) });
    if (/^[{[]/.test(whole.slice(first))) return callsFrom(whole, { start: 0, begin: first });
    if (!whole.endsWith('```')) return [...whole.matchAll(line)].slice(0, maxPlaces).map(from).find(isRead);
    const fences = [...whole.matchAll(fence)].slice(-maxPlaces);
    // Calls in an earlier fence would be left out.
    const isLast = fences.slice(0, -1).every((match) => !jsonCallsAt(whole, endOf(match)));
    return isLast ? fences.slice(-1).map(from).find(isRead) : undefined;
  },
};

/** Most places that are examined. */
const maxPlaces = 20;

function isRead(calls: TextCalls | undefined): boolean {
  return calls !== undefined;
}

/** Several calls follow each other in lines, or separated by a semicolon or a comma. */
function callsFrom(
  text: string,
  { start, begin }: { readonly start: number; readonly begin: number },
): TextCalls | undefined {
  const calls: TextCalls['calls'][number][] = [];
  for (let at = begin; at < text.length;) {
    const read = jsonCallsAt(text, at);
    if (!read) return undefined;
    calls.push(...read.calls);
    at = skipSpace(text, read.end);
    if (/[;,]/.test(text.charAt(at))) at = skipSpace(text, at + 1);
    if (text.startsWith('```', at)) at = skipSpace(text, at + 3);
  }
  return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
}
