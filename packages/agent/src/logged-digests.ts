import { parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import type { ModelRequest } from '@varve/llm';
import type { Mask } from '@varve/tools';
import { digestOfJson } from './digest.ts';
import { maskEvent } from './mask-event.ts';
import { parametersDraft, toolsetDraft } from './reply-drafts.ts';

/** Of events that are never stored. */
const stamp = { id: '00000000-0000-0000-0000-000000000000', timestamp: '1970-01-01T00:00:00.000000' };

/** The digests of tools and parameters as a log holds them: without the secrets that a model may be told. */
export function loggedDigests(
  { tools, parameters }: Pick<ModelRequest, 'tools' | 'parameters'>,
  mask: Mask,
): Pick<Call['digests'], 'tools' | 'parameters'> {
  const toolset = toolsetFact.read(maskEvent(toolsetDraft('', tools).make(stamp), mask));
  const asked = parametersFact.read(maskEvent(parametersDraft('', parameters).make(stamp), mask));
  return {
    tools: digestOfJson(toolset?.tools ?? tools),
    parameters: digestOfJson(asked?.parameters ?? parameters),
  };
}
