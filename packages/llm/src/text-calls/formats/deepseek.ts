import { namedJson, toolName } from './named-json.ts';

const token = (words: string): string => `<｜${words.replaceAll(' ', '[▁_ ]')}｜>`;

/** Special tokens around name and JSON, in a fence or not, as DeepSeek's V3 and R1 models write calls. */
export const deepseek = namedJson({
  marks: ['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>', '<｜tool_calls_begin｜>'],
  head: new RegExp(
    String.raw`(?:${token('tool calls begin')}\s{0,20})?${token('tool call begin')}\s{0,20}(?:function\s{0,20}${token('tool sep')}\s{0,20})?${toolName}\s{0,20}(?:${token('tool sep')})?\s{0,20}(?:\x60{3}(?:json)?\s{0,20})?(?=\{)`,
    'y',
  ),
  tail: new RegExp(
    String.raw`\s{0,20}(?:\x60{3}\s{0,20})?(?:${token('tool call end')})?\s{0,20}(?:${token('tool calls end')})?`,
    'y',
  ),
});
