import { scanReply } from '../function-tags/scan-reply.ts';
import type { TextCallReader } from './text-call-format.ts';

/** `<function=NAME>` with `<parameter=…>`, as Qwen's coder models and mock function calling write calls. */
export const functionTags: TextCallReader = {
  marks: ['<function=', '<tool_call>'],
  read({ text }, knownIn) {
    const options = { knownIn, maxCalls: Infinity, isFenceCode: true };
    const { text: leadingText, calls, droppedChars, leadingReasoning } = scanReply(text, options);
    const isWhole = calls.every(({ openParameter }) => openParameter === undefined);
    if (calls.length === 0 || !isWhole || droppedChars > 0 || leadingReasoning !== '') return undefined;
    return { leadingText, calls };
  },
};
