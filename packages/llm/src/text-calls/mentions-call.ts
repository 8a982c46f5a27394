import { jsonCall } from './formats/json-call.ts';
import type { CallText } from './formats/text-call-format.ts';

/**
 * Beginnings of calls in the formats of models, including special tokens of formats that this package does not read.
 */
const marks =
  /<function=|<tool_call>|(?:｜DSML｜|<|:)invoke name="|<｜tool[▁_ ]calls?[▁_ ]begin｜>|<\|tool_calls?(?:_section)?_begin\|>|<\|(?:channel|python_tag)\|>|\[TOOL_CALLS\]/g;

/** Longest distance in characters from a mark to the name of its tool. */
const reach = 300;
/** Most marks that are checked. */
const maxMarks = 50;

/** Returns whether a text seems to contain a call of one of the tools, outside of code, in any format. */
export function mentionsCall({ text, prose }: CallText, isTool: (name: string) => boolean): boolean {
  const bare = text.trim();
  const whole = bare.startsWith('{') ? jsonCall(bare) : undefined;
  if (whole && isTool(whole.name)) return true;
  let count = 0;
  for (const { index } of prose.matchAll(marks)) {
    const words = text.slice(index, index + reach).match(/[\w.-]+/g) ?? [];
    if (words.some((word) => isTool(word))) return true;
    count += 1;
    if (count === maxMarks) return false;
  }
  return false;
}
