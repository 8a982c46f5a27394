import type { KnownNames } from '../function-tags/scan-parameter.ts';
import { scanReply } from '../function-tags/scan-reply.ts';
import type { CallText, TextCalls } from './text-call-format.ts';

/**
 * Reads calls in the format of mock function calling, with the same scanner. Returns undefined unless all are complete.
 */
export function readFunctionTags({ text }: CallText, knownIn: (tool: string) => KnownNames): TextCalls | undefined {
  const options = { knownIn, maxCalls: Infinity, isFenceCode: true };
  const { text: leadingText, calls, droppedChars, leadingReasoning } = scanReply(text, options);
  const isWhole = calls.every(({ openParameter }) => openParameter === undefined);
  if (calls.length === 0 || !isWhole || droppedChars > 0 || leadingReasoning !== '') return undefined;
  return { leadingText, calls };
}
