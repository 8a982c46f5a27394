import { AgentError, autoConfirm, type Agent, type AgentOptions } from '@varve/agent';
import type { Json } from '@varve/events';
import type { Settings } from '@varve/settings';
import { confirmationFromSettings, limitsFromSettings } from '@varve/settings/agent';
import { RequestError } from '../../error.ts';
import { buildAgent } from './build-agent.ts';
import { supportedAgent, type StartPlan } from './start-plan.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Builds the agent of a request in its surroundings. What the protocol has no field for, and what the request leaves
 * out, is that of the settings: limits, the meaning of text, and what is asked about, without settings `autoConfirm`.
 *
 * @throws {RequestError} `invalid` for what cannot be built, such as a tool that this server does not have.
 */
export function requestedAgentOf({ agent: description, spec }: StartPlan, surroundings: Surroundings): Agent {
  const { registries, parts, settings, added } = surroundings;
  const complete = { ...spec, agent: added(supportedAgent(description)) } as Json;
  const confirmation = settings ? confirmationFromSettings(settings) : autoConfirm();
  const replace = {
    ...(settings && chosenBy(settings, spec)),
    ...(spec['confirmation_policy'] === null && { confirmation }),
    ...parts,
  };
  const { agent, missing } = asRequest(() => buildAgent(complete, registries, replace));
  const tool = missing.find(({ path }) => path.startsWith('tools.'));
  if (tool) throw new RequestError('invalid', `The tool ${JSON.stringify(tool.kind)} cannot be used: ${tool.reason}`);
  return agent;
}

function chosenBy(settings: Settings, { max_iterations: steps, ...spec }: StartPlan['spec']): Partial<AgentOptions> {
  const { budget, stuck } = limitsFromSettings(settings);
  const textReply = settings.get('text_reply');
  return {
    ...(budget && { budget: { ...budget, ...(typeof steps === 'number' && { maxIterations: steps }) } }),
    ...(stuck && spec['stuck_detection'] !== false && { stuck }),
    ...(textReply !== undefined && { textReply }),
  };
}

/** Builds a part of a request. @throws {RequestError} `invalid` for what cannot be built. */
function asRequest<Result>(build: () => Result): Result {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof AgentError)) throw cause;
    throw new RequestError('invalid', cause.message, { cause });
  }
}
