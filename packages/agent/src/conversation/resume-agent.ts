import type { Json } from '@varve/events';
import { z } from 'zod';
import {
  defaultBudget,
  defaultConfirmation,
  defaultStuck,
  defineAgent,
  type Agent,
  type AgentOptions,
} from '../agent.ts';
import { confirmationFromSpec } from '../confirmation/confirmation-from-spec.ts';
import { AgentError } from '../error.ts';
import { withoutUndefined } from '../without-undefined.ts';
import type { Policies as ToldPolicies } from '../log/projections/policies-projection.ts';

/** What somebody decided about a conversation once, and whoever opens it again need not know. */
type Policies = Pick<AgentOptions, 'confirmation' | 'budget' | 'stuck'>;

/** The conversation that is gone on with. */
export interface ResumeContext {
  readonly id: string;
  /** What its log says of policies. */
  readonly policyUpdates: ToldPolicies;
}

const count = z.number().positive().optional().catch(undefined);
const policies = z.looseObject({
  confirmation_policy: z.json().optional(),
  security_analyzer: z.json().optional(),
  budget: z
    .object({ maxIterations: count, maxCostUsd: count, maxTokens: count, maxCalls: count, maxMs: count })
    .optional()
    .catch(undefined),
  stuck: z
    .union([z.literal('never'), z.record(z.string(), z.unknown())])
    .optional()
    .catch(undefined),
});
const meta = z.looseObject({
  agent: policies.optional().catch(undefined),
  policies_head: z.number().optional().catch(undefined),
});

/**
 * The agent that goes on with a stored conversation. Of confirmation, budget and rules for being stuck it keeps what it was
 * given, each as a whole; what it was given nothing of is as it was when the conversation was last worked on. What events
 * of its log `told` since that was stored wins over it.
 *
 * @throws {AgentError} `policy-missing` when a stored confirmation policy is needed that only its owner can make;
 * `invalid` for stored limits that allow nothing.
 * @see software-agent-sdk ConversationState.create: the policy that was stored wins, the agent and its limits are the caller's
 */
export function resumeAgent(agent: Agent, stored: Json, { id, policyUpdates: told }: ResumeContext): Agent {
  const { data } = meta.safeParse(stored);
  // The reference keeps the policy beside the agent.
  const beside = policies.safeParse(stored).data;
  const known = {
    ...data?.agent,
    ...(beside?.confirmation_policy !== undefined &&
      beside.confirmation_policy !== null && {
        confirmation_policy: beside.confirmation_policy,
        security_analyzer: beside.security_analyzer,
      }),
    ...policiesSince(told, data?.policies_head),
  };
  const { budget, stuck } = known;
  return inheritPolicies(agent, {
    ...(agent.confirmation === defaultConfirmation && confirmationOf(known, id)),
    ...(budget && { budget: withoutUndefined(budget) }),
    ...(stuck && { stuck: stuck === 'never' ? stuck : withoutUndefined(stuck) }),
  });
}

/** What was stored with a head knows the events before it, and may have been decided after them. */
function policiesSince(
  told: ToldPolicies,
  head = 0,
): Pick<z.output<typeof policies>, 'confirmation_policy' | 'security_analyzer'> {
  const { confirmation_policy: policy, security_analyzer: analyzer } = told;
  return {
    ...(policy && policy.seq >= head && { confirmation_policy: policy.value }),
    ...(analyzer && analyzer.seq >= head && { security_analyzer: analyzer.value }),
  };
}

/** The agent with the policies of others where it was given none of its own. */
export function inheritPolicies(agent: Agent, { confirmation, budget, stuck }: Policies): Agent {
  return defineAgent({
    ...agent,
    ...(agent.confirmation === defaultConfirmation && confirmation && { confirmation }),
    ...(agent.budget === defaultBudget && budget && { budget }),
    ...(agent.stuck === defaultStuck && stuck && { stuck }),
  });
}

function confirmationOf(
  { confirmation_policy: policy, security_analyzer: analyzer }: z.output<typeof policies>,
  id: string,
): Policies {
  if (policy === undefined) return {};
  const confirmation = confirmationFromSpec(policy, analyzer);
  if (confirmation) return { confirmation };
  const what = `Calls of conversation ${id} are confirmed by ${JSON.stringify(policy)}, which cannot be made from this`;
  throw new AgentError('policy-missing', `${what}, and the agent has no policy of its own: give it one.`);
}
