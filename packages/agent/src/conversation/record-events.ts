import { type Json, deepFreeze, type BaseEvent, type EventCodec, type Stamp } from '@varve/events';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import { AgentError } from '../error.ts';
import type { Draft } from '../log/drafts.ts';
import { defineAgent } from '../agent/agent.ts';
import type { Session } from '../agent/session.ts';
import { isCustomEvent } from '../log/mask-event.ts';
/** Makes a custom event from its stamp: `(stamp) => Rating.create({ stars: 5 }, stamp)`. */
export type EventMaker = (stamp: Stamp) => BaseEvent;

/** Appends custom events for `Conversation.record`. One that does not keep its stamp is `invalid` too. */
export function recordEvents(makers: readonly EventMaker[], session: Session): Promise<readonly BaseEvent[]> {
  const { journal, codec } = session;
  return journal.emit(makers.map((maker) => ({ make: (stamp: Stamp) => checkedEvent(maker(stamp), stamp, codec) })));
}

/** Returns the event as it will be read back, so that fields which its kind does not allow never reach the log. */
function checkedEvent(event: BaseEvent, { id, timestamp, parent_id }: Stamp, codec: EventCodec): BaseEvent {
  if (!isCustomEvent(event)) {
    throw new AgentError(
      'invalid',
      `A ${nameOf(event)} is created by the conversation itself, never by the application.`,
    );
  }
  if (!codec.kind(event.kind)) {
    throw new AgentError('invalid', `The conversation was opened without the kind ${event.kind}.`);
  }
  if (event.id !== id || event.timestamp !== timestamp || event.parent_id !== parent_id) {
    throw new AgentError('invalid', `The ${event.kind} does not have the stamp that was passed to its maker.`);
  }
  return deepFreeze(codec.decode(codec.encode(event)));
}

function nameOf(event: BaseEvent): string {
  return ConversationStateUpdateEvent.is(event) ? `state update of ${event.key}` : event.kind;
}

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
