import type { ScannedCall, ScannedParameter } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import { after, matchAt } from './scan.ts';
import type { TextCallReader } from './text-call-format.ts';

const prefix = String.raw`(?:｜DSML｜|\w{1,20}:)?`;
const opening = new RegExp(`<${prefix}(?:function_calls|tool_calls?)>`, 'y');
const closing = new RegExp(`</${prefix}(?:function_calls|tool_calls?)>`, 'y');
const quotedName = String.raw`\s{1,9}name=["']?([^"'<>\s]{1,200})["']?(?:\s{1,9}\w{1,20}=["']?\w{0,20}["']?)?\s?`;
const invoke = new RegExp(`<${prefix}(?:invoke|function)${quotedName}>`, 'y');
const invokeEnd = new RegExp(`</${prefix}(?:invoke|function)>`, 'y');
const parameter = new RegExp(`<${prefix}parameter${quotedName}>`, 'y');
const parameterOpen = new RegExp(`<${prefix}parameter\\s`);
const parameterEnd = new RegExp(`</${prefix}parameter>`, 'g');
const first = new RegExp(
  `<${prefix}(?:(?:function_calls|tool_calls?)>(?=\\s{0,20}<${prefix}(?:invoke|function)\\s)|(?:invoke|function)\\s{1,9}name=)`,
);

/**
 * `<invoke name="…">` with `<parameter name="…">`, with a prefix or an enclosing element or not, as Claude, MiniMax and
 * DeepSeek's newer models write calls.
 */
export const invokes: TextCallReader = {
  marks: ['<function_calls>', '<invoke name="', '<function name="', '<｜DSML｜', '<minimax:'],
  read({ text, prose }) {
    const start = prose.search(first);
    if (start === -1) return undefined;
    const calls: ScannedCall[] = [];
    let at = after(opening, text, start) ?? start;
    while (at < text.length) {
      const closed = after(closing, text, at);
      if (closed !== undefined) at = closed;
      const call = closed === undefined ? readCall(text, at) : undefined;
      if (!call && closed === undefined) return undefined;
      if (call) calls.push(call);
      at = skipSpace(text, call?.end ?? at);
      at = after(opening, text, at) ?? at;
    }
    return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
  },
};

function readCall(text: string, start: number): ScannedCall | undefined {
  const name = matchAt(invoke, text, start)?.[1];
  const bodyStart = after(invoke, text, start);
  if (name === undefined || bodyStart === undefined) return undefined;
  const parameters: ScannedParameter[] = [];
  for (let at = bodyStart; ;) {
    const end = after(invokeEnd, text, at);
    if (end !== undefined) return { name, parameters, body: text.slice(bodyStart, at), end };
    const key = matchAt(parameter, text, at);
    const value = key && valueAt(text, at + key[0].length);
    if (!value) return undefined;
    parameters.push({ name: key[1] ?? '', text: value.text, isLiteral: false });
    at = value.end;
  }
}

/**
 * Reads a value up to the closing tag that is followed by a parameter or the end of the call: values may mention tags.
 * Returns undefined for one that seems to contain another parameter.
 */
function valueAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const search = new RegExp(parameterEnd);
  search.lastIndex = start;
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const end = skipSpace(text, search.lastIndex);
    if (!matchAt(parameter, text, end) && !matchAt(invokeEnd, text, end)) continue;
    const value = text.slice(start, match.index);
    if (/<\/[^<>]{0,40}parameter>/.test(value) && parameterOpen.test(value)) return undefined;
    return { text: value.replace(/^\n/, '').replace(/\n$/, ''), end };
  }
  return undefined;
}
