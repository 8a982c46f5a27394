import { endOfObject } from '@varve/text';
import { argumentsIn } from './json-call.ts';
import { after, callsToEnd, matchAt } from './scan.ts';
import type { CallText, TextCallReader } from './text-call-format.ts';

/** Format whose calls are a name followed by JSON of the arguments. */
export interface NamedJsonFormat {
  readonly marks: readonly string[];
  readonly isCode?: boolean;
  /** From the beginning of a call to its JSON. The name is the group `name`. */
  readonly head: RegExp;
  /** After the JSON of a call; matches nothing too, if the end may be missing. */
  readonly tail: RegExp;
  /** Returns the reasoning and the text in what precedes the first call. Default: all of it is text. */
  readonly splitLeading?: (leading: string) => { readonly reasoning: string; readonly leadingText: string };
}

/** Part of a pattern that matches the name of a tool, without the prefixes and suffixes that models add. */
export const toolName = String.raw`(?:functions\.)?(?<name>[A-Za-z_][\w.-]{0,199})(?::\d+)?`;

/** Creates the reader of a format whose calls are a name followed by JSON. */
export function namedJson({ marks, isCode = false, head, tail, splitLeading }: NamedJsonFormat): TextCallReader {
  const first = new RegExp(head.source, head.flags.replace('y', ''));
  return {
    marks,
    ...(isCode && { isCode }),
    read({ text, prose }, knownIn) {
      const start = firstCall(first, { text, prose }, (name) => knownIn(name).isTool(name));
      const read = callsToEnd(text, start ?? -1, (at) => {
        const opening = matchAt(head, text, at);
        const begin = opening && at + opening[0].length;
        const close = begin === null ? undefined : endOfObject(text, begin);
        if (begin === null || close === undefined) return undefined;
        const body = text.slice(begin, close);
        const json = argumentsIn(body);
        const end = after(tail, text, close);
        if (json === undefined || end === undefined) return undefined;
        return { name: opening?.groups?.['name'] ?? '', parameters: [], json, body, end };
      });
      return read && { ...read, ...splitLeading?.(read.leadingText) };
    },
  };
}

/** Most beginnings that are examined. */
const maxBeginnings = 1000;

/** The JSON of a call may be in a fence, which is blank in the prose; the beginning of a call may not. */
function firstCall(first: RegExp, { text, prose }: CallText, isTool: (name: string) => boolean): number | undefined {
  const search = new RegExp(first, `${first.flags}g`);
  let match = search.exec(text);
  for (let count = 0; match && count < maxBeginnings; count += 1) {
    const isProse = prose.slice(match.index, search.lastIndex).trim() !== '';
    if (isProse && isTool(match.groups?.['name'] ?? '')) return match.index;
    search.lastIndex = match.index + 1;
    match = search.exec(text);
  }
  return undefined;
}
