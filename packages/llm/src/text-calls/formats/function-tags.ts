import type { KnownNames } from '../function-tags/scan-parameter.ts';
import { scanReply } from '../function-tags/scan-reply.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

/** Calls in the notation in which this package prompts for them, by the same scanner. */
export function readFunctionTags({ text }: CallText, knownIn: (tool: string) => KnownNames): TextCalls | undefined {
  const options = { knownIn, maxCalls: Infinity, isFenceCode: true };
  const { text: said, calls, droppedChars, leadingReasoning: thought } = scanReply(text, options);
  const isWhole = calls.every(({ openParameter }) => openParameter === undefined);
  return calls.length > 0 && isWhole && droppedChars === 0 && thought === '' ? { leadingText: said, calls } : undefined;
}
