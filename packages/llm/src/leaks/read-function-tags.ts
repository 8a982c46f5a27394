import type { KnownNames } from '../mock/scan-parameter.ts';
import { scanReply } from '../mock/scan-reply.ts';
import type { LeakyText, TextCalls } from './leak.ts';

/** Calls in the notation in which this package prompts for them, by the same scanner. */
export function readFunctionTags({ text }: LeakyText, knownIn: (tool: string) => KnownNames): TextCalls | undefined {
  const options = { knownIn, maxCalls: Infinity, isFenceCode: true };
  const { text: said, calls, droppedChars, thought } = scanReply(text, options);
  const isWhole = calls.every(({ openParameter }) => openParameter === undefined);
  return calls.length > 0 && isWhole && droppedChars === 0 && thought === '' ? { said, calls } : undefined;
}
