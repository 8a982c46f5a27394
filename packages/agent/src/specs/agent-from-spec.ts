import type { Json } from '@varve/events';
import { describeProblem, type SpecProblem } from '@varve/events/specs';
import { withoutUndefined } from '@varve/text';
import { defineAgent, type Agent, type AgentOptions } from '../agent/agent.ts';
import { AgentError } from '../error.ts';
import type { AgentRegistries } from './agent-registries.ts';
import { type MissingPart, isUnset, objectOf, type JsonObject } from './part-reader.ts';
import { specFromReferenceAgent } from './reference-agent.ts';
import { agentParts } from './agent-parts.ts';

/** Result of {@link agentFromSpec}. */
export interface RebuiltAgent {
  /** Absent if an essential part is missing. */
  readonly agent?: Agent;
  /** What differs from the stored agent; empty if it was rebuilt completely. */
  readonly missing: readonly MissingPart[];
}

/** Options of {@link agentFromSpec}. */
export interface AgentFromSpecOptions {
  readonly registries: AgentRegistries;
  /** Parts of the caller in place of the stored ones, which are not read then. */
  readonly replace?: Partial<AgentOptions>;
}

/**
 * Rebuilds an agent from its stored spec: that of an `Agent`, an agent of the reference, or an object with one in
 * `agent` and its policies next to it, such as `base_state.json` and the body of a request to start a conversation.
 *
 * Nothing in a spec is a credential; the registries supply those. A spec may come from another person: it selects
 * among the registered kinds and their options, and can name no program, path or variable.
 *
 * @throws {AgentError} `invalid` for a value that describes no agent.
 * @see software-agent-sdk AgentBase, ConversationState
 */
export function agentFromSpec(spec: Json, { registries, replace = {} }: AgentFromSpecOptions): RebuiltAgent {
  const missing: MissingPart[] = [];
  const stored = storedAgent(spec, (problem) => missing.push({ ...problem, isEssential: false }));
  const changes = withoutUndefined(replace);
  const parts = { ...agentParts(stored, { registries, replaced: new Set(Object.keys(changes)), missing }), ...changes };
  const { model, tools } = parts;
  if (!model && !isNamed(missing, 'model')) missing.push(absent('model'));
  if (!tools && !isNamed(missing, 'tools')) missing.push(absent('tools'));
  if (!model || !tools || missing.some(({ isEssential }) => isEssential)) return { missing };
  return { agent: defineAgent({ ...parts, model, tools }), missing };
}

function isNamed(missing: readonly MissingPart[], field: string): boolean {
  return missing.some(({ path, isEssential }) => isEssential && path.split('.')[0] === field);
}

function absent(field: string): MissingPart {
  return { path: field, kind: 'Agent', reason: 'it is not stored.', isEssential: true };
}

/** @throws {AgentError} `not-rebuilt` naming what is missing of an agent that cannot be used. */
export function requireAgent({ agent, missing }: RebuiltAgent, of: string): Agent {
  if (agent) return agent;
  const reasons = missing.filter(({ isEssential }) => isEssential).map(describeProblem);
  throw new AgentError('not-rebuilt', `The agent of ${of} cannot be rebuilt. ${reasons.join(' ')}`);
}

type OnIgnored = (problem: SpecProblem) => void;

/** Returns the spec in the form of varve, with the policies that may be stored next to it. */
function storedAgent(spec: Json, onIgnored: OnIgnored): JsonObject {
  const whole = objectOf(spec);
  const inner = objectOf(whole?.['agent']);
  const agent = inner ?? whole;
  if (!agent || (agent['model'] === undefined && agent['llm'] === undefined)) {
    throw new AgentError('invalid', `The spec ${shortened(spec)} describes no agent: it has no model.`);
  }
  const { kind = 'Agent' } = agent;
  if (kind !== 'Agent') throw new AgentError('invalid', `An agent of kind ${shortened(kind)} cannot be rebuilt.`);
  const converted = agent['llm'] === undefined ? agent : specFromReferenceAgent(agent, onIgnored);
  return inner && whole ? { ...converted, ...outerPolicies(whole) } : converted;
}

function outerPolicies(whole: JsonObject): JsonObject {
  const { confirmation_policy: policy, security_analyzer: analyzer, max_iterations: steps } = whole;
  return {
    ...(!isUnset(policy) && { confirmation_policy: policy ?? null }),
    ...(!isUnset(analyzer) && { security_analyzer: analyzer ?? null }),
    ...(!isUnset(steps) && { budget: { maxIterations: steps } }),
    ...(whole['stuck_detection'] === false && { stuck: 'never' }),
  };
}

function shortened(value: Json): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(Object.keys(value)) : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
