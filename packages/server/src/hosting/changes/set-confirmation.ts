import { confirmationFromSpec, withRules } from '@varve/agent/confirmation';
import type { Json } from '@varve/events';
import { describeProblem, SpecError } from '@varve/events/specs';
import { redactSecretFields } from '@varve/text';
import { RequestError } from '../../error.ts';
import type { Confirmation, LiveConversation } from '../live-conversation.ts';

/**
 * Replaces the confirmation policy, the analyzer, or both, from the next decision on. The rules of the person stay.
 *
 * @throws {RequestError} `invalid` for kinds and options that this server does not have, `unsupported` for an agent in
 * code.
 */
export async function setConfirmation(changes: Partial<Confirmation>, live: LiveConversation): Promise<void> {
  const { conversation, registries, rules } = live;
  if (live.configuration?.agent_name !== undefined)
    throw new RequestError('unsupported', 'What the agent of this conversation asks about is part of the server.');
  const { policy, analyzer } = { ...live.confirmation, ...changes };
  try {
    const made = confirmationFromSpec(policy, analyzer, registries);
    // An analyzer that the policy does not use is checked too.
    if (analyzer !== null) confirmationFromSpec({ kind: 'ConfirmRisky' }, analyzer, registries);
    const redacted = analyzer === null ? null : (redactSecretFields(analyzer as object, '**********') as Json);
    await conversation.setConfirmation(rules ? withRules(made, rules) : made, redacted);
    live.confirmation = { policy, analyzer };
  } catch (cause) {
    if (!(cause instanceof SpecError)) throw cause;
    throw new RequestError('invalid', describeProblem(cause.problem), { cause });
  }
}
