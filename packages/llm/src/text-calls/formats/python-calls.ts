import { literalReader, modelJsonLimits } from '@varve/text';
import type { ScannedCall } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import { after, matchAt } from './scan.ts';
import type { TextCallReader, TextCalls } from './text-call-format.ts';

const syntax: Parameters<typeof literalReader>[1] = {
  quotes: ['"""', "'''", '"', "'"].map((sign) => ({ open: sign, close: sign, escapes: 'python' })),
  keySign: ':',
  words: { True: true, False: false, None: null, true: true, false: false, null: null },
  limits: modelJsonLimits,
};

const token = String.raw`<\|(?:tool_call_start|python_start|python_tag|tool_list_start)\|>|<(?:tool_call|tool_code|function_call)>`;
const fence = String.raw`(?:^|\n)[ \t]*\x60{3}(?:tool_code|tool_call|tool_calls|python|py)?[ \t]*\n`;
const list = String.raw`\n[ \t]*(?=\[[A-Za-z_][\w.-]{0,200}\()`;
const ending =
  /(?:<\|(?:tool_call_end|python_end|tool_list_end)\|>|<\/(?:tool_call|tool_code|function_call)>|\x60{3})?$/y;
const head = /(?:[A-Za-z_]\w{0,100}\.){0,3}?(?<name>[A-Za-z_][\w-]{0,199})(?:\.call)?\(/y;

/**
 * Calls as in Python, with named arguments, as LFM2, Llama 4, Gemma 3 and Gemini models write them: one or a list, as
 * the whole text, between special tokens, or in a fence at the end.
 */
export const pythonCalls: TextCallReader = {
  marks: ['<|tool_call_start|>', '<|python_start|>', '<|python_tag|>'],
  isCode: true,
  read({ text: written }, knownIn) {
    const text = written.trimEnd();
    const isTool = (name: string): boolean => knownIn(name).isTool(name);
    const start = skipSpace(text, 0);
    const whole = readFrom(text, { start, begin: start, isTool });
    if (whole) return whole;
    // All calls follow the first token; a fence or a list is the end of the text.
    const tokens = [...text.matchAll(new RegExp(token, 'g'))];
    const opened = tokens[0] ?? [...text.matchAll(new RegExp(`${fence}|${list}`, 'g'))].at(-1);
    return opened && readFrom(text, { start: opened.index, begin: opened.index + opened[0].length, isTool });
  },
};

interface Place {
  /** Start of the calls with their token or fence, and without. */
  readonly start: number;
  readonly begin: number;
  readonly isTool: (name: string) => boolean;
}

function readFrom(text: string, { start, begin, isTool }: Place): TextCalls | undefined {
  const reader = literalReader(text, syntax);
  const first = skipSpace(text, begin);
  const isList = text.startsWith('[', first);
  const calls: ScannedCall[] = [];
  for (let at = skipSpace(text, first + (isList ? 1 : 0)); ;) {
    const call = readCall(text, { at, reader, isTool });
    if (!call) return undefined;
    calls.push(call);
    at = after(/\s*(?:[,;]|<\|python_tag\|>)?/y, text, call.end) ?? call.end;
    if (isList && text.startsWith(']', at)) at += 1;
    else if (isList || !matchAt(ending, text, at)) continue;
    return matchAt(ending, text, at) ? { leadingText: text.slice(0, start), calls } : undefined;
  }
}

function readCall(
  text: string,
  {
    at,
    reader,
    isTool,
  }: { readonly at: number; readonly reader: ReturnType<typeof literalReader>; readonly isTool: Place['isTool'] },
): ScannedCall | undefined {
  // Gemma and Gemini print the results of their calls.
  const print = matchAt(/print\(\s*/y, text, at);
  const start = at + (print?.[0].length ?? 0);
  const opened = matchAt(head, text, start);
  const path = opened?.[0].replace(/(?:\.call)?\($/, '') ?? '';
  const name = isTool(path) ? path : (opened?.groups?.['name'] ?? '');
  if (!opened || !isTool(name)) return undefined;
  const bodyStart = start + opened[0].length;
  const read = reader.fields(bodyStart, ')', '=');
  const end = read && print ? after(/\s*\)/y, text, read.end) : read?.end;
  if (!read || end === undefined) return undefined;
  return { name, parameters: [], json: JSON.stringify(read.value), body: text.slice(at, end), end };
}
