import type { ScannedCall, ScannedParameter } from '../function-tags/scan-call.ts';
import type { KnownNames } from '../function-tags/scan-parameter.ts';
import { skipSpace } from '../function-tags/tags.ts';
import { callsToEnd, matchAt } from './scan.ts';
import type { TextCallReader } from './text-call-format.ts';

const openingTag = /<([A-Za-z_][\w-]{0,100})>/y;
/** Most tags at the start of a line that are examined. */
const maxTags = 100;

/** `<NAME>` with a tag for each parameter, as models write calls that were trained on Cline or Roo Code. */
export const namedTags: TextCallReader = {
  marks: [],
  isCode: true,
  read({ text, prose }, knownIn) {
    const isTool = (name: string): boolean => knownIn(name).isTool(name);
    const starts = [...prose.matchAll(/^[ \t]*<([A-Za-z_][\w-]{0,100})>/gm)].slice(0, maxTags);
    const start = starts.find((match) => isTool(match[1] ?? ''))?.index;
    return callsToEnd(text, start ?? -1, (at) => readCall(text, skipSpace(text, at), knownIn));
  },
};

function readCall(text: string, start: number, knownIn: (tool: string) => KnownNames): ScannedCall | undefined {
  const opening = matchAt(openingTag, text, start);
  const name = opening?.[1] ?? '';
  const known = knownIn(name);
  if (!opening || !known.isTool(name)) return undefined;
  const close = `</${name}>`;
  const bodyStart = start + opening[0].length;
  const parameters: ScannedParameter[] = [];
  for (let at = skipSpace(text, bodyStart); ; at = skipSpace(text, at)) {
    if (text.startsWith(close, at)) {
      return { name, parameters, body: text.slice(bodyStart, at), end: at + close.length };
    }
    const parameter = matchAt(openingTag, text, at);
    const key = parameter?.[1] ?? '';
    const end = text.indexOf(`</${key}>`, at);
    if (!parameter || !known.isParameter(key) || end === -1) return undefined;
    const value = text.slice(at + parameter[0].length, end);
    parameters.push({ name: key, text: value.replace(/^\n/, '').replace(/\n$/, ''), isLiteral: false });
    at = end + key.length + 3;
  }
}
