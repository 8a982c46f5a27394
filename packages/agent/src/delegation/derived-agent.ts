import type { Json } from '@varve/events';
import { type Tool, toolKinds, toolPresets } from '@varve/tools';
import { defineAgent, type Agent, type AgentOptions, type SubAgentContext } from '../agent/agent.ts';
import { AgentError } from '../error.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { closeUnowned, toolset, type Toolset } from '../agent/toolset.ts';

/** Tools that start, or hand over to, other agents. A sub-agent has them only if it names them. */
export const delegationToolNames: readonly string[] = ['task', 'delegate'];

/** Parts of a derived agent that differ from its parent's. */
export interface DerivedParts extends Partial<
  Pick<AgentOptions, 'model' | 'condenser' | 'confirmation' | 'hooks' | 'skills'>
> {
  /** Instructions after those of the parent. */
  readonly instructions: string;
  /**
   * Names of its tools: those of the parent, and tools that change nothing but a plan. `finish` is always one of them.
   * Default: those of the parent, except the tools that start other agents.
   */
  readonly toolNames?: readonly string[];
}

/**
 * Returns an agent for a child of a conversation of `parent`. Parts that are not given are the parent's; a child
 * conversation inherits its policies.
 *
 * @throws {AgentError} `invalid` for a tool that does not exist.
 */
export function derivedAgent(
  parent: Agent,
  { toolNames, instructions, ...parts }: DerivedParts,
  context: SubAgentContext,
): Agent {
  const { model, condenser, parameters, concurrency, protectedPaths, skills } = parent;
  return defineAgent({
    model,
    condenser,
    parameters,
    concurrency,
    protectedPaths,
    skills,
    // A derived agent that may start others may start those of its parent.
    ...(toolNames?.some((name) => delegationToolNames.includes(name)) && { subAgents: parent.subAgents }),
    tools: derivedTools(parent.tools, toolNames, context.toolNames),
    prompt: withInstructions(parent.prompt, instructions),
    ...parts,
  });
}

/** Tools that a derived agent may have although its parent lacks them, because they change nothing but a plan. */
const harmlessTools: readonly string[] = toolPresets.planning;

function derivedTools(tools: Toolset, names: readonly string[] | undefined, available: readonly string[]): Toolset {
  const selectedNames = names ?? available.filter((name) => !delegationToolNames.includes(name));
  const added = harmlessTools.filter((name) => selectedNames.includes(name) && !available.includes(name));
  const unknown = selectedNames.find((name) => name !== 'finish' && !available.includes(name) && !added.includes(name));
  if (unknown !== undefined) {
    const known = [...new Set([...available, ...harmlessTools])].join(', ');
    throw new AgentError('invalid', `There is no tool ${unknown}. The tools are: ${known}.`);
  }
  const selected = selectedTools(tools, (name) => name !== 'finish' && selectedNames.includes(name));
  // The parent may end with a structured answer, which is not that of the child.
  const plain = [...added.filter((name) => name !== 'finish'), 'finish'];
  return joinedTools(selected, toolset(plain, toolKinds()));
}

/** Returns the tools of another toolset that are selected by name. The others are closed before their first call. */
function selectedTools(tools: Toolset, isSelected: (name: string) => boolean): Toolset {
  const select: Toolset = (context) => {
    const all = tools(context);
    void closeUnowned(all.filter(({ name }) => !isSelected(name)));
    return all.filter(({ name }) => isSelected(name));
  };
  const spec = tools.spec?.filter((toolSpec) => isSelected(nameIn(toolSpec)));
  return Object.assign(select, spec && { spec });
}

function joinedTools(left: Toolset, right: Toolset): Toolset {
  const join: Toolset = (context) => [...left(context), ...right(context)];
  return Object.assign(join, left.spec && right.spec && { spec: [...left.spec, ...right.spec] });
}

function nameIn(spec: Json): string {
  return typeof spec === 'object' && spec !== null && 'name' in spec && typeof spec['name'] === 'string'
    ? spec['name']
    : '';
}

/** Returns an agent with more tools. */
export function withTools(agent: Agent, tools: readonly (() => Tool)[]): Agent {
  if (tools.length === 0) return agent;
  return defineAgent({ ...agent, tools: (context) => [...agent.tools(context), ...tools.map((make) => make())] });
}

function withInstructions(prompt: Prompt, instructions: string): Prompt {
  const derived: Prompt = (context) => {
    const { fixed, dynamic = '' } = prompt(context);
    return { fixed, dynamic: [dynamic, instructions].filter((text) => text !== '').join('\n\n') };
  };
  return Object.assign(derived, prompt.spec !== undefined && { spec: prompt.spec });
}
