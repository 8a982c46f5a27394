import type { Content, Message } from '@varve/events';
import { estimateTokens } from './estimate-tokens.ts';
import type { ModelRequest } from './model-request.ts';

/** Tokens of one image of any size; providers scale images down. */
const tokensPerImage = 1500;

/** Tokens that separate a message from the next. */
const tokensPerMessage = 4;

/**
 * Estimates the tokens of a request: messages with reasoning and calls, images at a flat rate, and the JSON of the
 * tools.
 */
export function estimateRequest({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  const toolTokens = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + estimateMessage(message), toolTokens);
}

function estimateMessage({ content, tool_calls: calls = [], reasoning_content: reasoning = '' }: Message): number {
  const contentTokens = content.reduce((sum, block) => sum + estimateContent(block), 0);
  const callTokens = calls.reduce((sum, call) => sum + estimateTokens(call.name) + estimateTokens(call.arguments), 0);
  return tokensPerMessage + contentTokens + callTokens + estimateTokens(reasoning);
}

function estimateContent(block: Content): number {
  return block.type === 'text' ? estimateTokens(block.text) : block.image_urls.length * tokensPerImage;
}
