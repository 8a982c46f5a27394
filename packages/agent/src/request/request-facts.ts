import { parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import type { ModelParameters, ModelRequest, ToolSpec } from '@varve/llm';
import type { Draft } from '../log/drafts.ts';

/** Returns facts of a request's tools and parameters, as far as the log does not contain their digests yet. */
export function newRequestFacts(
  { tools, parameters }: Pick<ModelRequest, 'tools' | 'parameters'>,
  digests: Call['digests'],
  known: readonly string[],
): readonly Draft[] {
  return [
    ...(known.includes(digests.tools) ? [] : [toolsetDraft(digests.tools, tools)]),
    // The digest of `{}` need not be stored.
    ...(known.includes(digests.parameters) || JSON.stringify(parameters) === '{}'
      ? []
      : [parametersDraft(digests.parameters, parameters)]),
  ];
}

/** Records the tool list of a request. */
export function toolsetDraft(digest: string, tools: readonly ToolSpec[]): Draft {
  const copies = tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } }));
  return { make: (stamp) => toolsetFact.create({ digest, tools: copies }, stamp) };
}

/** Records the parameters of a request. */
export function parametersDraft(digest: string, parameters: ModelParameters): Draft {
  // Stored as JSON, without undefined fields.
  const fields = JSON.parse(JSON.stringify(parameters)) as Record<string, unknown>;
  return { make: (stamp) => parametersFact.create({ digest, parameters: fields }, stamp) };
}
