import { parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import type { ModelRequest } from '@varve/llm';
import type { Mask } from '@varve/text';
import { digestOfJson } from '../log/digest.ts';
import { maskEvent } from '../log/mask-event.ts';
import { parametersDraft, toolsetDraft } from './request-facts.ts';

/** Stamp of events that are never stored. */
const noStamp = { id: '00000000-0000-0000-0000-000000000000', timestamp: '1970-01-01T00:00:00.000000' };

/** Returns the digests of tools and parameters as the log contains them: masked, unlike the request. */
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
