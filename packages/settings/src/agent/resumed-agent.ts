import { AgentError, type Agent, type AgentOptions } from '@varve/agent';
import { agentFromSpec, agentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { describeProblem } from '@varve/events/specs';
import type { Settings } from '../layers/resolve-settings.ts';
import { startsSubAgents } from './sub-agents.ts';
import { toolKindsFor, type ToolSetup } from './tools-from-settings.ts';

/** Options of {@link resumedAgent}. */
export interface ResumedAgentOptions extends ToolSetup {
  /** Spec of the agent that the conversation was last used with. */
  readonly spec: Json;
  readonly settings: Settings;
  /** Agent of the settings, with the model, rules, hooks and skills of this run. */
  readonly current: Agent;
  /** Sub-agents of this run, which the agent has if one of its tools starts them; absent, those of `current`. */
  readonly subAgents?: Agent['subAgents'];
}

/** Agent of a stored conversation. */
export interface ResumedAgent {
  readonly agent: Agent;
  /** Parts of the stored agent that it lacks, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Returns the agent of a stored conversation: its own tools, condenser, prompt, concurrency and meaning of text, unless
 * a flag sets them, with the current model, rules, hooks, skills and servers. One that cannot be rebuilt is that of the
 * settings.
 */
export function resumedAgent(options: ResumedAgentOptions): ResumedAgent {
  const { spec, settings, current } = options;
  const fields = objectOf(spec);
  if (!fields) return { agent: current, problems: [] };
  const registries = { ...agentRegistries(), tools: toolKindsFor(settings, options) };
  const replace = replacedParts(fields, options);
  try {
    const tools = toolsWith(fields['tools'], options.serverTools ?? []);
    const { agent, missing } = agentFromSpec({ ...fields, ...(tools && { tools }) }, { registries, replace });
    return { agent: agent ?? current, problems: missing.map(describeProblem) };
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'invalid') throw error;
    return { agent: current, problems: [] };
  }
}

/** Returns what is not read from the spec: what belongs to this run, and what a flag sets. */
function replacedParts(fields: Fields, options: ResumedAgentOptions): Partial<AgentOptions> {
  const { settings, current, subAgents = current.subAgents } = options;
  const { model, confirmation, rules, budget, stuck, hooks, skills, protectedPaths, signingKey, parameters } = current;
  const { recordsFiles } = current;
  const isSet = (prefix: string): boolean =>
    settings.entries.some(({ key, origin }) => origin.kind === 'flag' && key.startsWith(prefix));
  // A summarizing model needs a key, which no spec contains.
  const hasModel = objectOf(fields['condenser'] ?? null)?.['model'] !== undefined;
  const hasRole = settings.get('roles.condenser') !== undefined;
  const hasOwnTools = !isSet('tools.') && (fields['tools'] !== undefined || fields['llm'] !== undefined);
  const startsOthers = startsSubAgents(hasOwnTools ? fields['tools'] : current.tools.spec);
  return {
    model,
    confirmation,
    budget,
    stuck,
    hooks,
    skills,
    subAgents: startsOthers ? subAgents : [],
    protectedPaths,
    recordsFiles,
    parameters,
    ...(rules && { rules }),
    ...(signingKey && { signingKey }),
    ...(!hasOwnTools && { tools: current.tools }),
    ...((isSet('condenser.') || hasModel || hasRole) && { condenser: current.condenser }),
    ...(isSet('prompt.') && { prompt: current.prompt }),
    ...(isSet('concurrency') && { concurrency: current.concurrency }),
    ...(isSet('text_reply') && { textReply: current.textReply }),
  };
}

type Fields = Readonly<Record<string, Json>>;

/** Replaces the tools of servers by those of this run. */
function toolsWith(tools: Json | undefined, servers: NonNullable<ToolSetup['serverTools']>): Json | undefined {
  if (!Array.isArray(tools)) return undefined;
  const others = tools.filter((tool: Json) => objectOf(tool)?.['name'] !== 'mcp');
  return [...others, ...servers.map(({ name, params = {} }) => ({ name, params }))] as Json;
}

function objectOf(value: Json): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
