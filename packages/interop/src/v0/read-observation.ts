import { text, type Content, type Stamp } from '@varve/events';
import {
  AgentErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { statusKey } from '@varve/events/projections';
import { fieldsOf, stringOf } from '../common/foreign-json.ts';
import { statusOfState } from './agent-states.ts';
import { observationKind, readObservation } from './observation-kinds.ts';
import type { EventDraft, ReadCall, ReadingContext } from './reading-context.ts';
import type { V0Record } from './record.ts';

/** Observations that no model reads, unless they answer a call. */
const silent = new Set([
  'null',
  'success',
  'agent_state_changed',
  'recall',
  'condense',
  'loop_detection',
  'chat',
  'message',
]);
const others = new Set(['error', 'user_rejected', 'download']);

/** Returns the events of an observation; undefined if its kind is unknown. */
export function readObservationRecord(
  observation: string,
  record: V0Record,
  context: ReadingContext,
): readonly EventDraft[] | undefined {
  if (observation === 'agent_state_changed') return readState(record, context);
  if (!observationKind(observation) && !silent.has(observation) && !others.has(observation)) return undefined;
  const call = context.callOf(record, stringOf(fieldsOf(record['tool_call_metadata'])?.['tool_call_id']));
  if (call) return [{ id: context.newId(), make: (stamp) => resultEvent(observation, record, call, stamp) }];
  const content = stringOf(record['content']) ?? '';
  if (silent.has(observation) || content === '') return [];
  const fields = { source: 'environment', llm_message: { role: 'user', content: [text(content)] } } as const;
  return [{ id: context.newId(), make: (stamp) => MessageEvent.create(fields, stamp) }];
}

function readState({ extras }: V0Record, { newId }: ReadingContext): readonly EventDraft[] {
  const status = statusOfState(fieldsOf(extras)?.['agent_state']);
  if (!status) return [];
  const update = { key: statusKey, value: status };
  return [{ id: newId(), make: (stamp) => ConversationStateUpdateEvent.create(update, stamp) }];
}

function resultEvent(observation: string, record: V0Record, call: ReadCall, stamp: Stamp) {
  const content = stringOf(record['content']) ?? '';
  const extras = fieldsOf(record['extras']) ?? {};
  const { id: action_id, toolName: tool_name, toolCallId: tool_call_id } = call;
  const named = { tool_name, tool_call_id };
  if (observation === 'error') return AgentErrorEvent.create({ ...named, error: content }, stamp);
  if (observation === 'user_rejected') {
    return UserRejectObservation.create({ ...named, action_id, rejection_reason: content }, stamp);
  }
  const parts: readonly Content[] = [text(content)];
  const result = readObservation(observation, parts, extras, call);
  return ObservationEvent.create({ ...named, action_id, observation: result }, stamp);
}
