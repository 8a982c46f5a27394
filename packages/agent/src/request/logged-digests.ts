import { parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import type { ModelParameters, ModelRequest, ToolSpec } from '@varve/llm';
import type { Mask } from '@varve/text';
import { digestOfJson } from '../log/digest.ts';
import { maskEvent } from '../log/mask-event.ts';
import type { Draft } from '../log/drafts.ts';

/** Of events that are never stored. */
const noStamp = { id: '00000000-0000-0000-0000-000000000000', timestamp: '1970-01-01T00:00:00.000000' };

/** The digests of tools and parameters as a log holds them: without the secrets that a model may be told. */
export function loggedDigests(
  { tools, parameters }: Pick<ModelRequest, 'tools' | 'parameters'>,
  mask: Mask,
): Pick<Call['digests'], 'tools' | 'parameters'> {
  const toolset = toolsetFact.read(maskEvent(toolsetDraft('', tools).make(noStamp), mask));
  const asked = parametersFact.read(maskEvent(parametersDraft('', parameters).make(noStamp), mask));
  return {
    tools: digestOfJson(toolset?.tools ?? tools),
    parameters: digestOfJson(asked?.parameters ?? parameters),
  };
}

/** The tool list of a request, for a log that does not hold it yet. */
export function toolsetDraft(digest: string, tools: readonly ToolSpec[]): Draft {
  const copies = tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } }));
  return { make: (stamp) => toolsetFact.create({ digest, tools: copies }, stamp) };
}

/** The parameters of a request, for a log that does not hold them yet. */
export function parametersDraft(digest: string, parameters: ModelParameters): Draft {
  // As JSON has them: what is undefined is not there.
  const asked = JSON.parse(JSON.stringify(parameters)) as Record<string, unknown>;
  return { make: (stamp) => parametersFact.create({ digest, parameters: asked }, stamp) };
}
