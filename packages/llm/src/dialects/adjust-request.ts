import type { ModelRequest } from '../model-request.ts';
import { pairMessages } from './paired-messages.ts';
import type { ProviderWorkaround } from './workarounds.ts';

/** Returns the request as a workaround requires it; the same object when nothing has to change. */
export function adjustRequest(
  request: ModelRequest,
  { maxOutputTokens, pairsMessages, offersCalledTools }: ProviderWorkaround,
): ModelRequest {
  if (maxOutputTokens !== undefined) return { ...request, parameters: { ...request.parameters, maxOutputTokens } };
  if (offersCalledTools) return withCalledTools(request);
  const messages = pairsMessages ? pairMessages(request.messages) : request.messages;
  return messages === request.messages ? request : { ...request, messages };
}

/**
 * A request without tools in which the tools that its history calls are offered, but must not be called: some servers
 * reject calls of tools that are not offered. The same request when it has tools or contains no calls.
 */
function withCalledTools(request: ModelRequest): ModelRequest {
  const { messages, tools, parameters } = request;
  const names = new Set(messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ name }) => name)));
  if (tools.length > 0 || names.size === 0) return request;
  const called = [...names].map((name) => ({
    name,
    description: 'Was called before.',
    parameters: { type: 'object', properties: {} },
  }));
  return { ...request, tools: called, parameters: { ...parameters, toolChoice: 'none' } };
}
