import type { Json } from '@varve/events';
import { permissionRules, type PermissionRule } from '../permissions/permission-rule.ts';
import { ruleDecision } from '../permissions/rule-decision.ts';
import { AgentError } from '../error.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';

/**
 * Adds the rules of a person to a policy, in place of those that it has: what a rule denies is answered with the reason
 * and never runs, what a rule asks about waits, and what allow rules cover completely runs. The policy decides about
 * all other calls, and what it denies is denied. `deny` takes precedence over `ask`, and `ask` over `allow`.
 *
 * Commands are compared as the shell parses them, paths with links resolved. Not even an allow rule lets a call change
 * the configuration of agents without a question.
 *
 * @throws {AgentError} `invalid` for a rule that is malformed.
 */
export function withRules(policy: ConfirmationPolicy, rules: readonly PermissionRule[]): ConfirmationPolicy {
  const { data } = permissionRules().safeParse(rules);
  if (!data) throw new AgentError('invalid', `The permission rules ${JSON.stringify(rules)} are malformed.`);
  const base = policy.withoutRules ?? policy;
  if (data.length === 0) return base;
  return {
    ...base,
    withoutRules: base,
    spec: { ...specOf(base), rules: data.map((rule) => ({ ...rule })) },
    review(call) {
      const review = base.review(call);
      const ruled = review.denies ? undefined : ruleDecision(data, call);
      if (!ruled) return review;
      const { decision, rule } = ruled;
      if (decision === 'deny') return { ...review, asks: false, denies: true, rule };
      return { ...review, asks: decision === 'ask', rule };
    },
  };
}

/** The rules are a field of the policy's own spec: readers that do not know them find the policy. */
function specOf({ spec }: ConfirmationPolicy): Readonly<Record<string, Json>> {
  return typeof spec === 'object' && spec !== null && !Array.isArray(spec)
    ? (spec as Readonly<Record<string, Json>>)
    : {};
}
