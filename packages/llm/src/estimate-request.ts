import type { Content, Message } from '@varve/events';
import { estimateTokens } from './estimate-tokens.ts';
import type { ModelRequest } from './model-request.ts';

/** What one image takes, whatever its size; providers scale images down. */
const tokensPerImage = 1500;

/** What the frame around a message takes. */
const tokensPerMessage = 4;

/** Tokens that a request takes, roughly: messages with reasoning and calls, images at a flat rate, and the tools' JSON. */
export function estimateRequest({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  const offered = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + estimateMessage(message), offered);
}

function estimateMessage({ content, tool_calls: calls = [], reasoning_content: reasoning = '' }: Message): number {
  const said = content.reduce((sum, block) => sum + estimateContent(block), 0);
  const called = calls.reduce((sum, call) => sum + estimateTokens(call.name) + estimateTokens(call.arguments), 0);
  return tokensPerMessage + said + called + estimateTokens(reasoning);
}

function estimateContent(block: Content): number {
  return block.type === 'text' ? estimateTokens(block.text) : block.image_urls.length * tokensPerImage;
}
