import type { ScannedCall } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import type { TextCalls } from './text-call-format.ts';

/** Matches a sticky pattern at exactly `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Returns the position after a match and the white space that follows it; undefined without a match at `at`. */
export function after(pattern: RegExp, text: string, at: number): number | undefined {
  const match = matchAt(pattern, text, at);
  return match ? skipSpace(text, at + match[0].length) : undefined;
}

/** Returns the calls from `start` on, each read at its position; undefined if anything else follows in the text. */
export function callsToEnd(
  text: string,
  start: number,
  callAt: (at: number) => ScannedCall | undefined,
): TextCalls | undefined {
  const calls: ScannedCall[] = [];
  for (let at = start; at !== -1 && at < text.length;) {
    const call = callAt(at);
    if (!call) return undefined;
    calls.push(call);
    at = skipSpace(text, call.end);
  }
  return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
}
