import { jsonCall } from './formats/json-call.ts';
import type { CallText } from './formats/text-call-format.ts';

/** What calls begin with in the notations of models, the special tokens of those included that nobody reads from text. */
const marks =
  /<function=|<tool_call>|(?:｜DSML｜|<|:)invoke name="|<｜tool[▁_ ]calls?[▁_ ]begin｜>|<\|tool_calls?(?:_section)?_begin\|>|<\|(?:channel|python_tag)\|>|\[TOOL_CALLS\]/g;

/** How far behind a mark the name of a tool stands at most, and how many marks are looked at. */
const reach = 300;
const mostMarks = 50;

/** Whether a text seems to hold a call of one of the tools, outside of code, in whatever notation. */
export function mentionsCall({ text, prose }: CallText, isTool: (name: string) => boolean): boolean {
  const bare = text.trim();
  const whole = bare.startsWith('{') ? jsonCall(bare) : undefined;
  if (whole && isTool(whole.name)) return true;
  let count = 0;
  for (const { index } of prose.matchAll(marks)) {
    const words = text.slice(index, index + reach).match(/[\w.-]+/g) ?? [];
    if (words.some((word) => isTool(word))) return true;
    count += 1;
    if (count === mostMarks) return false;
  }
  return false;
}
