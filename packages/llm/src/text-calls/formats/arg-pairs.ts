import type { ScannedCall, ScannedParameter } from '../function-tags/scan-call.ts';
import { skipSpace, tags } from '../function-tags/tags.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

const head = /<tool_call>\s*([\w.-]{1,200})\s*(?=<arg_key>|<\/tool_call>)/y;
const key = /<arg_key>([^<]{1,200})<\/arg_key>\s*<arg_value>/y;
const valueEnd = '</arg_value>';

/** Calls as a name and pairs of key and value. A call must be closed. */
export function readArgPairs({ text, prose }: CallText): TextCalls | undefined {
  const start = prose.indexOf(tags.wrapperOpen);
  const calls: ScannedCall[] = [];
  for (let at = start; at !== -1 && at < text.length;) {
    const call = readOne(text, at);
    if (!call) return undefined;
    calls.push(call);
    at = skipSpace(text, call.end);
  }
  return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
}

function readOne(text: string, start: number): ScannedCall | undefined {
  const begun = matchAt(head, text, start);
  if (!begun) return undefined;
  const bodyStart = start + begun[0].length;
  const parameters: ScannedParameter[] = [];
  for (let at = bodyStart; ;) {
    if (text.startsWith(tags.wrapperClose, at)) {
      const body = text.slice(bodyStart, at);
      return { name: begun[1] ?? '', parameters, body, end: at + tags.wrapperClose.length };
    }
    const pair = matchAt(key, text, at);
    const value = pair && valueAt(text, at + pair[0].length);
    if (!value) return undefined;
    parameters.push({ name: (pair[1] ?? '').trim(), text: value.text, isLiteral: false });
    at = value.end;
  }
}

/** A closing tag counts where a pair or the end of the call follows. */
function valueAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  for (let close = text.indexOf(valueEnd, start); close !== -1; close = text.indexOf(valueEnd, close + 1)) {
    const end = skipSpace(text, close + valueEnd.length);
    if (text.startsWith('<arg_key>', end) || text.startsWith(tags.wrapperClose, end)) {
      return { text: text.slice(start, close), end };
    }
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const here = new RegExp(pattern);
  here.lastIndex = at;
  return here.exec(text);
}
