import { condenserFromSpec, noCondensation, type Condenser } from '@varve/condensers';
import { isPartSpec } from '@varve/events/specs';
import type { LanguageModel } from '@varve/llm';
import type { Agent, SubAgent, SubAgentContext } from '../../agent/agent.ts';
import { alwaysConfirm, confirmRisky, neverConfirm } from '../../confirmation/policies.ts';
import type { ConfirmationPolicy } from '../../confirmation/confirmation-policy.ts';
import { AgentError } from '../../error.ts';
import { builtinSubAgents, report } from '../built-in-sub-agents.ts';
import { delegationToolNames, derivedAgent } from '../derived-agent.ts';
import type { PermissionMode, SubAgentDefinition } from './sub-agent-definition.ts';

/** Options of {@link subAgentOf}. */
export interface SubAgentOptions {
  /** Returns the model of the user with a name; undefined without one. Default: there are none. */
  readonly model?: (name: string) => LanguageModel | undefined;
}

/**
 * Returns the sub-agent of a definition. Tools, skills and the model are looked up when a task starts.
 *
 * It can do what its parent can: its tools are among the parent's, and its calls are confirmed at least as strictly.
 */
export function subAgentOf(definition: SubAgentDefinition, options: SubAgentOptions = {}): SubAgent {
  const { name, description, whenToUseExamples, limits, digest } = definition;
  const examples = whenToUseExamples.map((example) => ` Example: ${example}`).join('');
  return {
    name,
    description: (description === '' ? `Follows the instructions of ${name}.` : description) + examples,
    limits,
    digest,
    create: (parent, context) => createAgent(definition, parent, context, options),
  };
}

/** Returns sub-agents and those of this package whose names they do not have; the default of the tools is the first. */
export function withBuiltinSubAgents(agents: readonly SubAgent[]): readonly SubAgent[] {
  const builtin = builtinSubAgents.map(
    (builtinAgent) => agents.find(({ name }) => name === builtinAgent.name) ?? builtinAgent,
  );
  return [...builtin, ...agents.filter((agent) => !builtin.includes(agent))];
}

function createAgent(
  definition: SubAgentDefinition,
  parent: Agent,
  context: SubAgentContext,
  { model: named }: SubAgentOptions,
): Agent {
  const modelOf = (name: string): LanguageModel => {
    const model = name === 'inherit' ? parent.model : named?.(name);
    if (model) return model;
    throw new AgentError('invalid', `There is no model ${JSON.stringify(name)}.`);
  };
  const confirmation = stricter(definition.permissionMode, parent);
  const condenser = condenserOf(definition, modelOf);
  const toolNames = toolNamesFor(definition, context);
  return derivedAgent(
    parent,
    {
      instructions: `${report}\n\n${definition.instructions}`,
      model: modelOf(definition.model),
      skills: skillsOf(definition, parent),
      ...(toolNames && { toolNames }),
      ...(confirmation && { confirmation }),
      ...(condenser && { condenser }),
    },
    context,
  );
}

function toolNamesFor(
  { tools, disallowedTools }: SubAgentDefinition,
  { toolNames }: SubAgentContext,
): readonly string[] | undefined {
  if (!tools && disallowedTools.length === 0) return undefined;
  const selected = tools ?? toolNames.filter((name) => !delegationToolNames.includes(name));
  return selected.filter((name) => !disallowedTools.includes(name));
}

function skillsOf({ skills }: SubAgentDefinition, parent: Agent): Agent['skills'] {
  if (!skills) return parent.skills;
  return skills.map((name) => {
    const parentSkill = parent.skills.find((skill) => skill.name === name);
    if (parentSkill) return parentSkill;
    throw new AgentError('invalid', `There is no skill ${JSON.stringify(name)}.`);
  });
}

function condenserOf(
  { condenser }: SubAgentDefinition,
  modelOf: (name: string) => LanguageModel,
): Condenser | undefined {
  if (condenser === undefined) return undefined;
  if (condenser === 'none') return noCondensation();
  return condenserFromSpec(condenser, { model: (spec) => modelOf(typeof spec === 'string' ? spec : 'inherit') });
}

const policies: Readonly<Record<PermissionMode, () => ConfirmationPolicy>> = {
  never_confirm: neverConfirm,
  confirm_risky: confirmRisky,
  always_confirm: alwaysConfirm,
};

/** Policies by their kinds, from the least strict on. */
const strictness = ['NeverConfirm', 'ConfirmRisky', 'ConfirmAllButEdits', 'AlwaysConfirm', 'OnlyReading'];

/** Returns the policy of a mode if it is stricter than that of the parent, else undefined: the parent's applies. */
function stricter(mode: PermissionMode | undefined, parent: Agent): ConfirmationPolicy | undefined {
  if (mode === undefined) return undefined;
  const policy = policies[mode]();
  const parentKind = kindOf(parent.confirmation);
  const isKnown = strictness.includes(parentKind);
  const isStricter = isKnown
    ? strictness.indexOf(kindOf(policy)) > strictness.indexOf(parentKind)
    : mode === 'always_confirm';
  return isStricter ? policy : undefined;
}

function kindOf({ spec }: ConfirmationPolicy): string {
  return isPartSpec(spec) ? spec.kind : '';
}
