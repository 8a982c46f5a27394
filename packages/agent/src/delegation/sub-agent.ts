import type { Agent } from '../agent.ts';
import { AgentError } from '../error.ts';
import type { RunOptions } from '../run/run-options.ts';

/** Limits of each run of a sub-agent, in addition to what is left of the budget of its parent. */
export type SubAgentLimits = Pick<RunOptions, 'maxIterations' | 'maxCostUsd' | 'maxTokens' | 'maxMs'>;

/** Kind of agent that a conversation can start for a part of its task. */
export interface SubAgent {
  /** Unique within an agent: a letter, then letters, digits, `_`, `-`, at most 64 characters. */
  readonly name: string;
  /** Other names by which models call it. A sub-agent that has one of them as its name takes precedence. */
  readonly aliases?: readonly string[];
  /** Description for the model: when to use it. */
  readonly description: string;
  readonly limits?: SubAgentLimits;
  /** Hex SHA-256 of its file; absent for one of the application. */
  readonly digest?: string;
  /**
   * Returns the agent for a child of a conversation of `parent`, with its model as it is now. Policies that it does not
   * set are those of the parent. Called for each task, again when it is resumed.
   *
   * @throws {AgentError} `invalid` naming the tool, skill or model that does not exist.
   */
  create(parent: Agent, context: SubAgentContext): Agent;
}

/** Conversation for whose child an agent is created. */
export interface SubAgentContext {
  /** Names of its tools. */
  readonly toolNames: readonly string[];
}

/** Names of sub-agents and of their tasks. */
export const subAgentName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Maximum number of sub-agents of an agent. */
export const maxSubAgents = 100;

/** Name that calls have which name no sub-agent. */
const defaultName = 'general-purpose';

/** Returns the sub-agent with a name or an alias. No name, and the default of the reference, are that of the first. */
export function findSubAgent(agents: readonly SubAgent[], name: string): SubAgent | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    agents.find((agent) => agent.name.toLowerCase() === wanted) ??
    agents.find(({ aliases = [] }) => aliases.includes(wanted)) ??
    (wanted === '' || wanted === defaultName ? agents[0] : undefined)
  );
}

/** @throws {AgentError} `invalid` for too many sub-agents, for a name that is not one and for two with one name. */
export function checkSubAgents(agents: readonly SubAgent[]): void {
  const names = agents.map(({ name }) => name);
  const invalid = names.find((name, index) => !subAgentName.test(name) || names.indexOf(name) !== index);
  if (invalid !== undefined) {
    throw new AgentError('invalid', `The sub-agent ${JSON.stringify(invalid)} exists twice, or its name is not one.`);
  }
  if (agents.length <= maxSubAgents) return;
  throw new AgentError(
    'invalid',
    `The agent has ${agents.length} sub-agents, and at most ${maxSubAgents} are allowed.`,
  );
}
