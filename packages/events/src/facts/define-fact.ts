import type { z } from 'zod';
import type { BaseEvent, Stamp } from '../define-event.ts';
import { EventError, describeInvalid } from '../error.ts';
import { lenientReader } from '../lenient.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';

type StateUpdate = ReturnType<typeof ConversationStateUpdateEvent.create>;

/** A fact: what decides behaviour and has no event kind of its own. It travels as a state update with a `varve.` key. */
export interface FactDefinition<Value> {
  readonly key: `varve.${string}`;
  /** Schema of the value, strict: what `create` accepts. */
  readonly schema: z.ZodType<Value>;
  /** @throws {EventError} `invalid` when the value breaks the fact's schema. */
  create(value: Value, stamp: Stamp): StateUpdate;
  /** The value when the event is this fact, unknown fields kept; undefined for other events and unreadable values. */
  read(event: BaseEvent): Value | undefined;
}

/**
 * Defines a fact: one file in `facts/`, one export line. Values are JSON; instants in them are UTC milliseconds. A key has
 * one dot, keys of your own have two (`varve.acme.rating`), so that they never meet.
 */
export function defineFact<Value>(key: `varve.${string}`, schema: z.ZodType<Value>): FactDefinition<Value> {
  // A later version may add fields; an effect that this version overlooked for that would be run twice.
  const reader = lenientReader(schema);
  return {
    key,
    schema,
    create(value, stamp) {
      const result = schema.safeParse(value);
      if (!result.success) throw new EventError('invalid', describeInvalid(key, result.error), { cause: result.error });
      return ConversationStateUpdateEvent.create({ key, value: result.data }, stamp);
    },
    read(event) {
      if (!ConversationStateUpdateEvent.is(event) || event.key !== key) return undefined;
      const result = reader(event.value);
      return result.success ? result.data : undefined;
    },
  };
}

/** Whether an event is one of ours that the reference's clients should not see. */
export function isFact(event: BaseEvent): event is StateUpdate {
  return ConversationStateUpdateEvent.is(event) && event.key.startsWith('varve.');
}
