import type { Json } from '@varve/events';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import { AgentError } from '../error.ts';
import type { Draft } from '../log/drafts.ts';
import { defineAgent } from '../agent/agent.ts';
import type { Session } from '../agent/session.ts';

/** Fields of the reference's state that an application may set. They steer no run. */
const fieldNames = ['agent', 'agent_state', 'goal', 'hook_config', 'invoked_skills', 'tags'] as const;

/** Values of fields, by name. */
export type StateFields = { readonly [Name in (typeof fieldNames)[number]]?: Json };

/**
 * Stores one state update per field, as one append.
 *
 * @throws {AgentError} `invalid` for a field that is not in the list.
 * @see software-agent-sdk ConversationStateUpdateEvent
 */
export async function updateFields(fields: StateFields, { journal }: Session): Promise<void> {
  const unknown = Object.keys(fields).find((name) => !fieldNames.some((known) => known === name));
  if (unknown !== undefined) throw new AgentError('invalid', `An application cannot set the field ${unknown}.`);
  await journal.emit(Object.entries(fields).map(([key, value]) => updateDraft(key, value)));
}

/** Replaces the confirmation policy from the next decision on, and stores it with its analyzer. */
export async function setConfirmation(policy: ConfirmationPolicy, analyzer: Json, session: Session): Promise<void> {
  const { rules: _, ...agent } = session.agent;
  session.settings.changeAgent(defineAgent({ ...agent, confirmation: policy }));
  await session.journal.emit([
    updateDraft('confirmation_policy', policy.spec),
    updateDraft('security_analyzer', analyzer),
  ]);
}

function updateDraft(key: string, value: Json): Draft {
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key, value }, stamp) };
}
