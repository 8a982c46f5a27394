import type { ScannedCall, ScannedParameter } from '../function-tags/scan-call.ts';
import { skipSpace, tags } from '../function-tags/tags.ts';
import { callsToEnd, matchAt } from './scan.ts';
import type { TextCallReader } from './text-call-format.ts';

const head = /<tool_call>\s*([\w.-]{1,200})\s*(?=<arg_key>|<\/tool_call>)/y;
const key = /<arg_key>([^<]{1,200})<\/arg_key>\s*<arg_value>/y;
const valueEnd = '</arg_value>';

/** `<tool_call>NAME` with `<arg_key>` and `<arg_value>`, as GLM's models write calls. */
export const argPairs: TextCallReader = {
  marks: ['<tool_call>'],
  read({ text, prose }) {
    return callsToEnd(text, prose.indexOf(tags.wrapperOpen), (at) => readCall(text, at));
  },
};

function readCall(text: string, start: number): ScannedCall | undefined {
  const opening = matchAt(head, text, start);
  if (!opening) return undefined;
  const bodyStart = start + opening[0].length;
  const parameters: ScannedParameter[] = [];
  for (let at = bodyStart; ;) {
    if (text.startsWith(tags.wrapperClose, at)) {
      const body = text.slice(bodyStart, at);
      return { name: opening[1] ?? '', parameters, body, end: at + tags.wrapperClose.length };
    }
    const pair = matchAt(key, text, at);
    const value = pair && valueAt(text, at + pair[0].length);
    if (!value) return undefined;
    parameters.push({ name: (pair[1] ?? '').trim(), text: value.text, isLiteral: false });
    at = value.end;
  }
}

/**
 * Reads a value up to the closing tag that is followed by another pair or by the end of the call. Returns undefined for
 * one that seems to contain another pair.
 */
function valueAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  for (let close = text.indexOf(valueEnd, start); close !== -1; close = text.indexOf(valueEnd, close + 1)) {
    const end = skipSpace(text, close + valueEnd.length);
    if (text.startsWith('<arg_key>', end) || text.startsWith(tags.wrapperClose, end)) {
      const value = text.slice(start, close);
      return value.includes(valueEnd) && value.includes('<arg_key>') ? undefined : { text: value, end };
    }
  }
  return undefined;
}
