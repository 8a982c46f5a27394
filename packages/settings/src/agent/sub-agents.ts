import { defineAgent } from '@varve/agent';
import { subAgentOf, withBuiltinSubAgents, type SubAgent, type SubAgentDefinition } from '@varve/agent/delegation';
import type { Toolset } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { LlmError, type LanguageModel } from '@varve/llm';
import { SettingsError } from '../error.ts';
import type { ConfiguredModel } from './model-from-settings.ts';
import type { RoleModels } from './role-models.ts';

/** Sub-agents of one agent. */
export interface PreparedSubAgents {
  readonly subAgents: readonly SubAgent[];
  /** Keys of their models. */
  readonly secrets: readonly string[];
  /** Models that files name and that cannot be used, one sentence each. */
  readonly problems: readonly string[];
}

/** Names of the tools that start sub-agents, as specs of agents contain them. */
const startingTools: ReadonlySet<unknown> = new Set([
  'task',
  'delegate',
  'task_tool_set',
  'TaskToolSet',
  'TaskTool',
  'DelegateTool',
]);

/** Reports whether the tools in the spec of an agent can start sub-agents. */
export function startsSubAgents(tools: Toolset['spec'] | Json | undefined): boolean {
  const list: readonly Json[] = Array.isArray(tools) ? tools : [];
  return list.some(
    (tool) => typeof tool === 'object' && tool !== null && 'name' in tool && startingTools.has(tool['name']),
  );
}

/**
 * Returns the built-in sub-agents and those of files. Each uses the model of the role `subagent`, or without one that
 * of its parent; a file may name another profile of the person, that of a project only if it is trusted.
 *
 * @throws as `modelFromSettings` for the profile of the role.
 */
export async function prepareSubAgents(
  definitions: readonly SubAgentDefinition[],
  models: RoleModels,
): Promise<PreparedSubAgents> {
  const inherited = await models.own('subagent');
  const named = new Map<string, ConfiguredModel>();
  const problems: string[] = [];
  const fromFiles: SubAgent[] = [];
  for (const definition of definitions) {
    const { problem, found } = await namedModel(definition, models);
    if (problem !== undefined) problems.push(problem);
    if (found) named.set(definition.model, found);
    const usable = isUsable(definition) ? definition : { ...definition, model: 'inherit' };
    fromFiles.push(subAgentOf(usable, { model: (name) => named.get(name)?.model }));
  }
  const all = withBuiltinSubAgents(fromFiles);
  return {
    subAgents: inherited ? all.map((subAgent) => withParentModel(subAgent, inherited.model)) : all,
    secrets: [inherited, ...named.values()].flatMap((model) => model?.secrets ?? []),
    problems,
  };
}

function isUsable({ model, scope, isTrusted }: SubAgentDefinition): boolean {
  return model === 'inherit' || scope === 'user' || isTrusted;
}

/** A profile that cannot be used prevents the tasks of its sub-agent, and nothing else. */
async function namedModel(
  definition: SubAgentDefinition,
  models: RoleModels,
): Promise<{ readonly found?: ConfiguredModel; readonly problem?: string }> {
  const { model, path } = definition;
  if (model === 'inherit') return {};
  if (!isUsable(definition))
    return { problem: `${path}: the model ${model} has no effect: the project is not trusted.` };
  try {
    return { found: await models.profile(model) };
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof LlmError)) throw error;
    return { problem: `${path}: the model ${model} cannot be used. ${error.message}` };
  }
}

/** What inherits the model of the parent has this one. */
function withParentModel(subAgent: SubAgent, model: LanguageModel): SubAgent {
  return {
    ...subAgent,
    create: (parent, context) => subAgent.create(defineAgent({ ...parent, model }), context),
  };
}
