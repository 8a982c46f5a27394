import type { Capabilities, ModelParameters } from '@varve/llm';

/** Room for the reply in tokens, if neither the agent nor the model has a limit. */
const usualReply = 8_192;
/** Largest share of the window that is left for a reply unless the agent requires more. */
const maxReplyShare = 0.25;

/**
 * Returns the maximum tokens of a request: the context window of a model without the room for its reply; undefined if
 * the window is unknown. Servers reject a request if the reply that it asks for would not fit, so a limit of the agent
 * is subtracted as it is. What a model could write at most is often its whole window, and is not.
 */
export function maxInputTokens(
  { contextWindow, maxOutputTokens = usualReply }: Capabilities,
  parameters: ModelParameters,
): number | undefined {
  if (contextWindow === undefined) return undefined;
  const room = parameters.maxOutputTokens ?? Math.min(maxOutputTokens, Math.floor(contextWindow * maxReplyShare));
  return Math.max(1, contextWindow - room);
}
