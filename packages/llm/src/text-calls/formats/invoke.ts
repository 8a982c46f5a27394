import type { ScannedCall, ScannedParameter } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

const prefix = String.raw`(?:｜DSML｜|\w{1,20}:)?`;
const opening = new RegExp(`<${prefix}(?:function_calls|tool_calls?)>`, 'y');
const closing = new RegExp(`</${prefix}(?:function_calls|tool_calls?)>`, 'y');
const invoke = new RegExp(`<${prefix}invoke name="([^"<>]{1,200})">`, 'y');
const invokeEnd = new RegExp(`</${prefix}invoke>`, 'y');
const parameter = new RegExp(`<${prefix}parameter name="([^"<>]{1,200})"(?: \\w{1,20}="\\w{0,20}")?>`, 'y');
const parameterEnd = new RegExp(`</${prefix}parameter>`, 'g');
const first = new RegExp(`<${prefix}(?:function_calls>|tool_calls?>|invoke name=")`);

/**
 * Reads calls written as `invoke` elements, with or without an enclosing element. Returns undefined unless every call
 * is closed.
 */
export function readInvoke({ text, prose }: CallText): TextCalls | undefined {
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
    at = call?.end ?? at;
    at = after(opening, text, at) ?? at;
  }
  return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
}

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
 */
function valueAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const search = new RegExp(parameterEnd);
  search.lastIndex = start;
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const end = skipSpace(text, search.lastIndex);
    if (!matchAt(parameter, text, end) && !matchAt(invokeEnd, text, end)) continue;
    return { text: text.slice(start, match.index).replace(/^\n/, '').replace(/\n$/, ''), end };
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Returns the position after a tag and the white space that follows it; undefined without such a tag at `at`. */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  const match = matchAt(pattern, text, at);
  return match ? skipSpace(text, at + match[0].length) : undefined;
}
