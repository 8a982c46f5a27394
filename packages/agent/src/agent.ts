import { noCondensation, type Condenser } from '@varve/condensers';
import type { Json } from '@varve/events';
import type { LanguageModel, ModelParameters } from '@varve/llm';
import type { Signer } from '@varve/storage/proof';
import type { Mask } from '@varve/text';
import type { Tool } from '@varve/tools';
import type { ConfirmationPolicy } from './confirmation/confirmation-policy.ts';
import { AgentError } from './error.ts';
import { withoutUndefined } from './without-undefined.ts';
import { checkLimits, type Budget } from './budget/limits.ts';
import { neverConfirm } from './confirmation/never-confirm.ts';
import { codingPrompt, type Prompt } from './prompt.ts';
import { stuckRules, type StuckRules } from './stuck/stuck-rules.ts';

/** What the tools of a conversation may be made with. */
export interface ToolsContext {
  readonly conversationId: string;
  /** Hides the conversation's secrets, for tools that keep text outside of the log. */
  readonly mask: Mask;
}

/**
 * What a reply of text alone means: the work is done, the person is asked something and the run ends without the work being
 * done, or nothing: there is nobody to ask, and the model is told to go on until it calls `finish`.
 */
export type TextReply = 'finish' | 'wait' | 'continue';

/** A stateless specification of who works: it may serve any number of conversations at once. */
export interface Agent {
  readonly model: LanguageModel;
  /**
   * Makes the tools of one conversation, which closes them when it ends: shells and histories are never shared. Called
   * once each time a conversation is created or opened; names must differ.
   */
  readonly tools: (context: ToolsContext) => readonly Tool[];
  readonly condenser: Condenser;
  readonly prompt: Prompt;
  readonly confirmation: ConfirmationPolicy;
  readonly budget: Budget;
  readonly parameters: ModelParameters;
  /**
   * How many calls of one reply may run at once; default 1, one after the other. Those that touch the same things never
   * do. With more, a model must not count on a call seeing what the one before it did elsewhere.
   */
  readonly concurrency: number;
  /** What a reply of text alone means. */
  readonly textReply: TextReply;
  /** When it counts as stuck; `never` leaves only the other limits. */
  readonly stuck: StuckRules | 'never';
  /**
   * Signs the seal of every event that its conversations store, so that `verify` can tell them from what others put into
   * the log; absent, nothing is signed. It is no part of `spec`.
   */
  readonly signingKey?: Signer;
  /** What rebuilds this agent; holds no secret. */
  readonly spec: Json;
}

/** What an agent needs, and what of its defaults it changes. */
export type AgentOptions = Pick<Agent, 'model' | 'tools'> &
  Partial<Omit<Agent, 'spec' | 'budget' | 'stuck'>> & {
    readonly budget?: Partial<Budget>;
    readonly stuck?: Partial<StuckRules> | 'never';
  };

/** What an agent has that was given none: told from one that was given the same by being this object. */
export const defaultConfirmation: ConfirmationPolicy = neverConfirm();

/** As for {@link defaultConfirmation}. */
export const defaultBudget: Budget = { maxIterations: 500 };

/** As for {@link defaultConfirmation}. */
export const defaultStuck: StuckRules = stuckRules();

/**
 * Fills in the defaults of an agent: no condensation, the coding prompt, no confirmation, 500 iterations, one
 * call at a time, the usual rules for being stuck.
 *
 * @throws {AgentError} `invalid` for a budget or rules that allow nothing or are no numbers.
 */
export function defineAgent(options: AgentOptions): Agent {
  const { model, tools, concurrency = 1, budget: limits = defaultBudget, stuck = defaultStuck } = options;
  const budget = limits === defaultBudget ? defaultBudget : { ...defaultBudget, ...withoutUndefined(limits) };
  checkLimits(budget);
  if (!(concurrency >= 1)) throw new AgentError('invalid', `With a concurrency of ${concurrency} no call ever runs.`);
  const agent: Omit<Agent, 'spec'> = {
    condenser: noCondensation(),
    prompt: codingPrompt,
    confirmation: defaultConfirmation,
    parameters: {},
    textReply: 'finish',
    ...withoutUndefined(options),
    model,
    tools,
    concurrency,
    budget,
    stuck: stuck === 'never' ? stuck : stuck === defaultStuck ? defaultStuck : stuckRules(stuck),
  };
  return Object.freeze({ ...agent, spec: specOf(agent) });
}

/** @see software-agent-sdk Agent: fields that both have are named as there */
function specOf({ model, condenser, confirmation, parameters, budget, ...agent }: Omit<Agent, 'spec'>): Json {
  return {
    model: model.spec,
    condenser: condenser.spec,
    confirmation_policy: confirmation.spec,
    ...(confirmation.analyzer !== undefined && { security_analyzer: confirmation.analyzer }),
    parameters: { ...parameters },
    budget: { ...budget },
    tool_concurrency_limit: agent.concurrency,
    text_reply: agent.textReply,
    stuck: agent.stuck === 'never' ? agent.stuck : { ...agent.stuck },
    kind: 'Agent',
  };
}
