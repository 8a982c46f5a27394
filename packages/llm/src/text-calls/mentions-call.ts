import type { CallText } from './formats/text-call-format.ts';

/** Beginnings of calls in the formats of models, including special tokens. */
const marks =
  /<function[=_]|<\|?tool_?calls?\|?>|<tools>|<TOOLCALL>|(?:｜DSML｜|<|:)invoke\s+name=|<｜tool[▁_ ]calls?[▁_ ]begin｜>|<\|tool_calls?(?:_section)?_(?:begin|start)\|>|<\|(?:channel|python_tag|python_start|START_ACTION|action_start)\|>|<start_function_call>|\[TOOL_CALLS\]|\bto=functions\./g;

/** Longest distance in characters from a mark to the name of its tool. */
const reach = 300;
/** Most marks and names that are checked. */
const maxMarks = 50;
/** Most words before and after a call in a text without prose; in front of code, any word introduces it. */
const maxWords = 3;

/**
 * Returns the tool of which a text seems to contain a call: after a beginning of a call outside of code, in any format;
 * or anywhere in a text that has no prose, next to a bracket. Undefined without one.
 */
export function mentionedCall(callText: CallText, isTool: (name: string) => boolean): string | undefined {
  return markedCall(callText, isTool) ?? bareCall(callText, isTool);
}

function markedCall({ text, prose }: CallText, isTool: (name: string) => boolean): string | undefined {
  let count = 0;
  for (const { index } of prose.matchAll(marks)) {
    const words = text.slice(index, index + reach).match(/[\w.-]+/g) ?? [];
    const tool = words.flatMap((word) => [word, ...word.split('.')]).find(isTool);
    if (tool !== undefined) return tool;
    count += 1;
    if (count === maxMarks) return undefined;
  }
  return undefined;
}

const openingFence = /^(?:`{3,}|~{3,})[ \t]{0,9}(\w*)/;
/** Languages of fences that hold calls. A fence in another language is an answer. */
const callLanguages = /^(?:json|jsonc|xml|html|text|txt|tool\w*|python|py|plaintext|bash|sh)?$/;

function bareCall({ text, prose }: CallText, isTool: (name: string) => boolean): string | undefined {
  const whole = text.trim();
  const code = prose.slice(text.length - text.trimStart().length);
  if (!callLanguages.test(openingFence.exec(whole)?.[1] ?? '')) return undefined;
  let count = 0;
  for (const { 0: word, index } of whole.matchAll(/[A-Za-z_][\w-]*/g)) {
    if (!isTool(word)) continue;
    const isCode = code.slice(index, index + word.length).trim() === '';
    const isCall = isNextToBracket(whole, index, index + word.length) && !hasProse(whole, index, isCode ? 0 : maxWords);
    if (isCall) return word;
    count += 1;
    if (count === maxMarks) return undefined;
  }
  return undefined;
}

function isNextToBracket(text: string, start: number, end: number): boolean {
  return (
    /^["'`]?(?:\(|[^\w{}()<]{0,20}(?:\w{1,20}[^\w{}()<]{1,20}){0,2}[{<])/.test(text.slice(end, end + 90)) ||
    /[{(<][^{}()<>]{0,60}$/.test(text.slice(Math.max(0, start - 61), start))
  );
}

/** Returns whether more than a few words precede the first bracket or the name, or follow the last bracket. */
function hasProse(text: string, nameStart: number, most: number): boolean {
  const first = text.search(/[{(<[\]]/);
  const [before = ''] = text.slice(0, first === -1 ? nameStart : Math.min(first, nameStart)).split('```');
  const last = Math.max(...['}', ')', '>', ']'].map((sign) => text.lastIndexOf(sign)));
  const isOpen = Math.max(...['{', '(', '<', '['].map((sign) => text.lastIndexOf(sign))) > last;
  return [before, isOpen ? '' : text.slice(last + 1)].some((part) => (part.match(/[\p{L}\d]+/gu)?.length ?? 0) > most);
}
