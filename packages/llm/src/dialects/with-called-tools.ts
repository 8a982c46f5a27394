import type { ModelRequest } from '../model-request.ts';

/**
 * A request without tools in which the tools that its history calls are offered, not to be called: some servers read no calls
 * otherwise. The same when it offers any, or calls none.
 */
export function withCalledTools(request: ModelRequest): ModelRequest {
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
