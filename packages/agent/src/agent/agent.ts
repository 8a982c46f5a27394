import { noCondensation, type Condenser } from '@varve/condensers';
import type { Json } from '@varve/events';
import type { LanguageModel, ModelParameters, ModelWrapper } from '@varve/llm';
import type { Signer } from '@varve/storage';
import type { SharedTool, Tool } from '@varve/tools';
import type { ProgramSandbox } from '@varve/tools/workspace';
import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import { AgentError } from '../error.ts';
import { isWithoutHooks, type HookConfig } from '../confirmation/hooks/hook-config.ts';
import { withRules } from '../confirmation/with-rules.ts';
import { checkLimits, type Budget, type Limits } from '../budget/limits.ts';
import { neverConfirm } from '../confirmation/policies.ts';
import type { PermissionRule } from '../permissions/permission-rule.ts';
import { codingPrompt } from '../prompt/preset-prompt.ts';
import { textPrompt, type Prompt } from '../prompt/prompt.ts';
import { toolsetOf, wrappedToolset, type ToolMaker, type Toolset } from './toolset.ts';
import { maxSkills, type Skill } from '@varve/skills';
import { withoutUndefined } from '@varve/text';
import { stuckRules, type StuckRules } from '../stuck/stuck-rules.ts';

/**
 * Meaning of a reply of text alone. `finish`: the work is done. `wait`: it is a question to the person, and the run
 * ends. `continue`: no person is available, and the model is nudged to continue until it calls `finish`.
 */
export type TextReply = 'finish' | 'wait' | 'continue';

/** Stateless specification of an agent, for any number of concurrent conversations. */
export interface Agent {
  readonly model: LanguageModel;
  /**
   * Makes the tools of one conversation, which closes them when it is closed: shells and histories are never shared.
   * Called once each time a conversation is created or opened; names must differ, and a tool with `close` must be a new
   * one. A function without a spec cannot be rebuilt: `toolset` returns one that can.
   */
  readonly tools: Toolset;
  readonly condenser: Condenser;
  readonly prompt: Prompt;
  readonly confirmation: ConfirmationPolicy;
  /**
   * Rules of the person for calls, applied on top of `confirmation` and stored with it. They replace the rules that are
   * stored with a conversation; absent, those apply.
   */
  readonly rules?: readonly PermissionRule[];
  /** `confirmation` with `rules`: decides about calls. */
  readonly policy: ConfirmationPolicy;
  /**
   * Absolute paths of files and directories that no call may change without a question, whatever the policy is: those
   * of the application, such as its data directory. Directories with the configuration of agents, and settings and
   * hooks of git, are always protected. Not part of `spec`.
   */
  readonly protectedPaths: readonly string[];
  /**
   * Records the files that calls change, for going back to them; default false. The first command of a conversation
   * looks at all files of the workspace. Not part of `spec`.
   */
  readonly recordsFiles: boolean;
  /**
   * Commands that run at certain events, and may block messages, calls and the end. They run without a question, in
   * `sandbox` or with the rights of this process: pass only those that a person trusts, as `loadHooks` does.
   */
  readonly hooks: HookConfig;
  /** Walls around hooks and commands of skills; tools have their own. Not part of `spec`. Default: none. */
  readonly sandbox?: ProgramSandbox;
  /**
   * Instructions for kinds of tasks, at most 100 with different names; `loadSkills` reads those of a workspace. Their
   * texts are stored when the model receives them.
   */
  readonly skills: readonly Skill[];
  /**
   * Agents that its conversations can start for parts of their tasks, at most 100 with different names; used by the
   * tools `task` and `delegate`. The first is the default of those tools.
   */
  readonly subAgents: readonly SubAgent[];
  readonly budget: Budget;
  readonly parameters: ModelParameters;
  /**
   * Number of calls of one reply that may run concurrently; default 1, one after the other. Calls with a common
   * resource never run concurrently. With more than 1, a call may not see the effects of an earlier call on other
   * resources.
   */
  readonly concurrency: number;
  /** Meaning of a reply of text alone; default `finish`. */
  readonly textReply: TextReply;
  /** Rules for detecting that it is stuck; `never` leaves only the other limits. */
  readonly stuck: StuckRules | 'never';
  /**
   * Signs the seal of every event that its conversations store, so that `verify` distinguishes them from events that
   * others put into the log; absent, nothing is signed. Not part of `spec`.
   */
  readonly signingKey?: Signer;
  /** JSON from which this agent can be rebuilt; contains no secret. */
  readonly spec: Json;
}

/** Kind of agent that a conversation can start for a part of its task. */
export interface SubAgent {
  /** Unique within an agent: a letter, then letters, digits, `_`, `-`, at most 64 characters. */
  readonly name: string;
  /** Other names by which models call it. A sub-agent that has one of them as its name takes precedence. */
  readonly aliases?: readonly string[];
  /** Description for the model: when to use it. */
  readonly description: string;
  /** Limits of each run, in addition to what is left of the budget of its parent. */
  readonly limits?: Limits;
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

/** Options of {@link defineAgent}. */
export type AgentOptions = Pick<Agent, 'model'> &
  Partial<Omit<Agent, 'spec' | 'policy' | 'budget' | 'stuck' | 'prompt' | 'tools'>> & {
    /** Makes the tools of each conversation; or a list of tools without state, which all share, and of makers. */
    readonly tools: Toolset | readonly (SharedTool | ToolMaker)[];
    /** A string is a prompt of fixed text. */
    readonly prompt?: Prompt | string;
    readonly budget?: Partial<Budget>;
    readonly stuck?: Partial<StuckRules> | 'never';
    /**
     * Wraps `model`, for code before and after each of its calls. A model that the conversation
     * switches to, and an agent that is rebuilt from its spec, are not wrapped.
     */
    readonly wrapModel?: ModelWrapper;
    /** Wraps each of `tools`, and those that their servers add later, as `wrapTool` of `@varve/tools` does. */
    readonly wrapTool?: (tool: Tool) => Tool;
  };

/**
 * Confirmation of an agent without one. Recognized by identity: an equal policy that was set explicitly differs from
 * it.
 */
export const defaultConfirmation: ConfirmationPolicy = neverConfirm();

/** Hooks of an agent without any. Recognized by identity. */
export const defaultHooks: HookConfig = {};

/** Budget of an agent without one. Recognized by identity. */
export const defaultBudget: Budget = { maxIterations: 500 };

/** Stuck rules of an agent without any. Recognized by identity. */
export const defaultStuck: StuckRules = stuckRules();

/**
 * Returns an agent with these defaults: no condensation, the coding prompt, no confirmation, no hooks, 500 iterations,
 * one call at a time, the default stuck rules.
 *
 * @throws {AgentError} `invalid` for a budget or rules that allow nothing or are not numbers, for too many skills and
 * for two with one name.
 */
export function defineAgent({ wrapModel, wrapTool, ...options }: AgentOptions): Agent {
  const { model, tools, concurrency = 1, budget: limits = defaultBudget, stuck = defaultStuck } = options;
  const { prompt = codingPrompt } = options;
  const budget = limits === defaultBudget ? defaultBudget : { ...defaultBudget, ...withoutUndefined(limits) };
  checkLimits(budget);
  checkSkills(options.skills ?? []);
  checkSubAgents(options.subAgents ?? []);
  if (!(concurrency >= 1)) throw new AgentError('invalid', `With a concurrency of ${concurrency} no call ever runs.`);
  const { confirmation = defaultConfirmation, rules } = options;
  const agent: Omit<Agent, 'spec'> = {
    condenser: noCondensation(),
    protectedPaths: [],
    recordsFiles: false,
    hooks: defaultHooks,
    skills: [],
    subAgents: [],
    parameters: {},
    textReply: 'finish',
    ...withoutUndefined(options),
    confirmation,
    policy: rules === undefined ? confirmation : withRules(confirmation, rules),
    model: wrapModel ? wrapModel(model) : model,
    tools: wrapTool ? wrappedToolset(toolsetOf(tools), wrapTool) : toolsetOf(tools),
    prompt: typeof prompt === 'string' ? textPrompt(prompt) : prompt,
    concurrency,
    budget,
    stuck: stuck === 'never' ? stuck : stuck === defaultStuck ? defaultStuck : stuckRules(stuck),
  };
  return Object.freeze({ ...agent, spec: specOf(agent) });
}

function checkSkills(skills: readonly Skill[]): void {
  const names = skills.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new AgentError('invalid', `Two skills of the agent are called ${duplicate}.`);
  if (skills.length <= maxSkills) return;
  throw new AgentError('invalid', `The agent has ${skills.length} skills, and at most ${maxSkills} are allowed.`);
}

function checkSubAgents(agents: readonly { readonly name: string }[]): void {
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

/** @see software-agent-sdk Agent: shared fields have the same names */
function specOf({ model, tools, condenser, policy, parameters, budget, ...agent }: Omit<Agent, 'spec'>): Json {
  return {
    model: model.spec,
    ...(tools.spec && { tools: tools.spec }),
    condenser: condenser.spec,
    confirmation_policy: policy.spec,
    ...(policy.analyzer !== undefined && { security_analyzer: policy.analyzer }),
    parameters: { ...parameters },
    budget: { ...budget },
    tool_concurrency_limit: agent.concurrency,
    text_reply: agent.textReply,
    ...(agent.prompt.spec !== undefined && { prompt: agent.prompt.spec }),
    stuck: agent.stuck === 'never' ? agent.stuck : { ...agent.stuck },
    ...(agent.skills.length > 0 && { skills: agent.skills.map(({ name, digest }) => ({ name, digest })) }),
    ...(agent.subAgents.length > 0 && {
      sub_agents: agent.subAgents.map(({ name, digest }) => ({ name, ...(digest !== undefined && { digest }) })),
    }),
    ...(!isWithoutHooks(agent.hooks) && { hooks: agent.hooks as Json }),
    kind: 'Agent',
  };
}
