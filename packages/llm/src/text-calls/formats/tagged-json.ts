import type { ScannedCall } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import { jsonCallsAt } from './json-call.ts';
import { after, matchAt } from './scan.ts';
import type { CallText, TextCallReader } from './text-call-format.ts';

/** Any tag or special token. Special tokens of two families may follow each other. */
const tag = String.raw`(?:<[/|]{0,2}[A-Za-z_][\w:|/-]{0,40}>|\[/?[A-Z_]{3,30}\])`;
const opening = new RegExp(String.raw`${tag}\s*(?:${tag}\s*)?(?:\x60{3}\w*\s*)?(?=[{[])`, 'y');
/** What may follow the JSON of a call, in this order. */
const closings = [/\x60{3}/y, new RegExp(String.raw`${tag}|[;,]`, 'y'), /<\/[\w:|-]{1,40}>/y];

const marks = [
  '<tool_call>',
  '<tool_calls>',
  '<tools>',
  '<function_call>',
  '<TOOLCALL>',
  '<|tool_call|>',
  '<|tool_call_start|>',
  '<|python_tag|>',
  '<|START_ACTION|>',
  '[TOOL_CALLS]',
];

/**
 * JSON between tags, one call or a list, as Hermes, Qwen, Granite, Phi, Nemotron, Jamba, Cohere, InternLM, Mistral and
 * Llama models write calls. The last closing tag may be missing: as a stop string it is removed by servers.
 */
export const taggedJson: TextCallReader = {
  marks,
  read({ text, prose }) {
    for (const start of startsIn({ text, prose })) {
      const calls = callsFrom(text, start);
      if (calls) return { leadingText: text.slice(0, start), calls };
      // Other tags are ordinary markup.
      if (marks.some((mark) => text.startsWith(mark, start))) return undefined;
    }
    return undefined;
  },
};

/** Most tags before JSON that are examined. */
const maxStarts = 20;

/** The JSON between tags may be in a fence, which is blank in the prose; the first tag may not. */
function startsIn({ text, prose }: CallText): readonly number[] {
  const starts: number[] = [];
  for (const { index } of prose.matchAll(new RegExp(tag, 'g'))) {
    if (matchAt(opening, text, index)) starts.push(index);
    if (starts.length === maxStarts) break;
  }
  return starts;
}

function callsFrom(text: string, start: number): readonly ScannedCall[] | undefined {
  const calls: ScannedCall[] = [];
  for (let at = start; at < text.length;) {
    const read = jsonCallsAt(text, after(opening, text, at) ?? at);
    if (!read) return undefined;
    calls.push(...read.calls);
    at = skipSpace(text, read.end);
    for (const closing of closings) at = after(closing, text, at) ?? at;
  }
  return calls;
}
