import { hasContent } from '../content.ts';
import type { Message } from '../message.ts';
import { isObjectJson, isLegalBlock, isLegalToolName } from './provider-rules.ts';

/**
 * Returns the problems for which a strict provider would reject a list of messages, one sentence each. Empty if it is
 * legal.
 *
 * The rules: at most one system message, first; every assistant message with calls is followed by exactly one result
 * per call, in call order; no result elsewhere; call ids are unique and not empty; arguments are JSON objects; no two
 * user messages in a row; only assistants have calls; every message has content that is not blank, or calls; no block
 * is blank or contains a lone surrogate; called tools have names of at most 64 letters, digits, `_` and `-`.
 */
export function checkMessages(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  let awaited: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `message ${index}`;
    if (message.role === 'tool') {
      const expected = awaited.shift();
      if (expected === undefined || message.tool_call_id !== expected) {
        problems.push(`${at} answers call ${message.tool_call_id ?? 'none'}, expected ${expected ?? 'none'}`);
      }
      problems.push(...messageProblems(message, messages[index - 1], index).map((problem) => `${at} ${problem}`));
      continue;
    }
    if (awaited.length > 0) problems.push(`${at} comes before the results of ${awaited.join(', ')}`);
    awaited = (message.tool_calls ?? []).map((call) => call.id);
    problems.push(...messageProblems(message, messages[index - 1], index).map((problem) => `${at} ${problem}`));
    for (const call of message.tool_calls ?? []) {
      if (call.id === '' || ids.has(call.id)) problems.push(`${at} reuses the call id "${call.id}"`);
      ids.add(call.id);
      if (!isLegalToolName(call.name)) problems.push(`${at} calls a tool by the illegal name "${call.name}"`);
      if (!isObjectJson(call.arguments)) problems.push(`${at} has arguments that are not a JSON object`);
    }
  }
  if (awaited.length > 0) problems.push(`the last message lacks the results of ${awaited.join(', ')}`);
  return problems;
}

function messageProblems(message: Message, before: Message | undefined, index: number): readonly string[] {
  const problems: string[] = [];
  if (message.role === 'system' && index > 0) problems.push('is a system message but not the first');
  if (message.role === 'user' && before?.role === 'user') problems.push('is a user message after a user message');
  if (message.role !== 'assistant' && message.tool_calls) problems.push(`has calls but the role ${message.role}`);
  if (message.tool_calls?.length === 0) problems.push('has an empty list of calls');
  if (!hasContent(message.content) && !message.tool_calls) problems.push('is blank');
  else if (!message.content.every(isLegalBlock)) problems.push('has a block that is blank or has half a character');
  return problems;
}
