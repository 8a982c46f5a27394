import { namedJson, toolName } from './named-json.ts';

/** A section of calls with special tokens around name and JSON, as Kimi's models write them. */
export const kimi = namedJson({
  marks: ['<|tool_calls_section_begin|>', '<|tool_call_begin|>'],
  head: new RegExp(
    String.raw`(?:<\|tool_calls?_section_begin\|>\s{0,20})?<\|tool_call_begin\|>\s{0,20}${toolName}\s{0,20}<\|tool_call_argument_begin\|>\s{0,20}(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}(?:<\|tool_call_end\|>)?\s{0,20}(?:<\|tool_calls?_section_end\|>)?/y,
});
