import * as z from 'zod';
import { lazy } from '@varve/events';
import {
  defaultBudget,
  defaultConfirmation,
  defaultHooks,
  defaultStuck,
  defineAgent,
  type Agent,
  type AgentOptions,
} from '../agent/agent.ts';
import { SpecError } from '@varve/events/specs';
import { withoutUndefined } from '@varve/text';
import { confirmationFromSpec, type ConfirmationRegistries } from '../confirmation/confirmation-from-spec.ts';
import { AgentError } from '../error.ts';
import type { Policies as PolicyUpdates } from '../log/projections/policies-projection.ts';
import type { StoredSettings } from '../log/settings.ts';

/** Policies that are stored with a conversation, so that the next process that opens it need not know them. */
type Policies = Pick<AgentOptions, 'confirmation' | 'rules' | 'budget' | 'stuck' | 'hooks'> &
  Partial<Pick<Agent, 'protectedPaths'>>;

/** The resumed conversation. */
export interface ResumeContext {
  readonly id: string;
  /** Policy updates in its log. */
  readonly policyUpdates: PolicyUpdates;
  /** Kinds of policies and analyzers; default those of this package. */
  readonly registries?: ConfirmationRegistries | undefined;
}

const count = lazy(() => z.number().positive().optional().catch(undefined));
const policies = lazy(() =>
  z.looseObject({
    confirmation_policy: z.json().optional(),
    security_analyzer: z.json().optional(),
    budget: z
      .object({ maxIterations: count(), maxCostUsd: count(), maxTokens: count(), maxCalls: count(), maxMs: count() })
      .optional()
      .catch(undefined),
    hooks: z.record(z.string(), z.unknown()).optional().catch(undefined),
    stuck: z
      .union([z.literal('never'), z.record(z.string(), z.unknown())])
      .optional()
      .catch(undefined),
  }),
);
const storedMeta = lazy(() =>
  z.looseObject({
    agent: policies().optional().catch(undefined),
    policies_head: z.number().optional().catch(undefined),
  }),
);

/**
 * Returns the agent for a stored conversation: confirmation, budget and stuck rules each come from the given agent if
 * they were set there, else from the conversation as it was last used. A later policy update in the log replaces the
 * stored policy.
 *
 * @throws {AgentError} `policy-missing` when a stored confirmation policy is needed that only the application can make;
 * `hooks-missing` when it was used with hooks and the agent does not set any, because commands from a log do not run;
 * `invalid` for stored limits that allow nothing.
 * @see software-agent-sdk ConversationState.create: the stored policy wins, the agent and its limits are the caller's
 */
export function resumeAgent(agent: Agent, settings: StoredSettings, context: ResumeContext): Agent {
  const { data } = storedMeta().safeParse(settings);
  // The reference stores the policy next to the agent.
  const outer = policies().safeParse(settings).data;
  const stored = {
    ...data?.agent,
    ...(outer?.confirmation_policy !== undefined &&
      outer.confirmation_policy !== null && {
        confirmation_policy: outer.confirmation_policy,
        security_analyzer: outer.security_analyzer,
      }),
    ...updatesSince(context.policyUpdates, data?.policies_head),
  };
  const { budget, stuck, hooks } = stored;
  if (agent.hooks === defaultHooks && hooks && Object.keys(hooks).length > 0) {
    const what = `Conversation ${context.id} was used with hooks, and the agent has none`;
    throw new AgentError('hooks-missing', `${what}. Pass the hooks, or an empty object to use it without them.`);
  }
  return inheritPolicies(agent, {
    ...(agent.confirmation === defaultConfirmation && confirmationOf(stored, context)),
    ...(budget && { budget: withoutUndefined(budget) }),
    ...(stuck && { stuck: stuck === 'never' ? stuck : withoutUndefined(stuck) }),
  });
}

/**
 * Returns the updates from `head` on: a stored policy already contains the earlier ones, and may be newer than they
 * are.
 */
function updatesSince(
  { confirmation_policy: policy, security_analyzer: analyzer }: PolicyUpdates,
  head = 0,
): Pick<z.output<ReturnType<typeof policies>>, 'confirmation_policy' | 'security_analyzer'> {
  return {
    ...(policy && policy.seq >= head && { confirmation_policy: policy.value }),
    ...(analyzer && analyzer.seq >= head && { security_analyzer: analyzer.value }),
  };
}

/** Returns the agent with the given policies in place of its defaults. */
export function inheritPolicies(
  agent: Agent,
  { confirmation, rules, protectedPaths = [], budget, stuck, hooks }: Policies,
): Agent {
  return defineAgent({
    ...agent,
    ...(agent.rules === undefined && rules && { rules }),
    protectedPaths: [...new Set([...agent.protectedPaths, ...protectedPaths])],
    ...(agent.confirmation === defaultConfirmation && confirmation && { confirmation }),
    ...(agent.budget === defaultBudget && budget && { budget }),
    ...(agent.stuck === defaultStuck && stuck && { stuck }),
    ...(agent.hooks === defaultHooks && hooks && { hooks }),
  });
}

function confirmationOf(
  { confirmation_policy: policy, security_analyzer: analyzer }: z.output<ReturnType<typeof policies>>,
  { id, registries }: ResumeContext,
): Policies {
  if (policy === undefined) return {};
  try {
    return { confirmation: confirmationFromSpec(policy, analyzer, registries) };
  } catch (cause) {
    if (!(cause instanceof SpecError)) throw cause;
    const what = `Calls of conversation ${id} are confirmed by ${JSON.stringify(policy)}, which cannot be made from this`;
    const message = `${what} (${cause.message}), and the agent has no policy of its own: give it one.`;
    throw new AgentError('policy-missing', message, { cause });
  }
}

/** Returns true for a tool of a server, which lists other tools at any time. */
function isOfServer(name: string): boolean {
  return name.startsWith('mcp__');
}

/** Kind and tools of an agent. */
interface AgentIdentity<Tools> {
  /** Kind in its spec; undefined if it was not stored. */
  readonly kind: string | undefined;
  /** Tool names. */
  readonly tools: Tools;
}

/**
 * Checks that an agent can resume a conversation: it has the kind and the tools of the previous agent. An agent of
 * another kind has other tools, and the log may not list all of them.
 *
 * @throws {AgentError} `tools-missing`.
 * @see software-agent-sdk ConversationState.create: the class of the agent must be the stored one, and so must its
 * tools
 */
export function checkAgent(
  before: AgentIdentity<readonly string[]>,
  now: AgentIdentity<ReadonlyMap<string, unknown>>,
  id: string,
): void {
  if (before.kind !== undefined && before.kind !== now.kind) {
    const what = `Conversation ${id} was used by an agent of kind ${before.kind}, and this one is of kind ${now.kind}`;
    throw new AgentError('tools-missing', `${what}. Open it with that kind, or accept that its tools are missing.`);
  }
  const missing = before.tools.filter((name) => !now.tools.has(name) && !isOfServer(name));
  if (missing.length === 0) return;
  const what = `Conversation ${id} was used with tools that the agent does not have: ${missing.join(', ')}`;
  throw new AgentError('tools-missing', `${what}. Add them to the agent, or accept that they are missing.`);
}
