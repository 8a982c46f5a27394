import { endOfObject } from '@varve/text';
import type { ScannedCall } from '../function-tags/scan-call.ts';
import { skipSpace, tags } from '../function-tags/tags.ts';
import { jsonCall } from './json-call.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

/**
 * Reads calls written as JSON between tags. The last closing tag may be missing: as a stop string it is removed by
 * servers.
 */
export function readToolCallJson({ text, prose }: CallText): TextCalls | undefined {
  const start = prose.indexOf(tags.wrapperOpen);
  const calls: ScannedCall[] = [];
  for (let at = start; at !== -1 && at < text.length;) {
    if (!text.startsWith(tags.wrapperOpen, at)) return undefined;
    const begin = skipSpace(text, at + tags.wrapperOpen.length);
    const end = endOfObject(text, begin);
    const call = end === undefined ? undefined : jsonCall(text.slice(begin, end));
    if (!call || end === undefined) return undefined;
    calls.push({ ...call, end });
    const close = skipSpace(text, end);
    at = text.startsWith(tags.wrapperClose, close) ? skipSpace(text, close + tags.wrapperClose.length) : close;
  }
  return calls.length > 0 ? { leadingText: text.slice(0, start), calls } : undefined;
}
