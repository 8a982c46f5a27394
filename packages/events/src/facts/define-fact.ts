import type * as z from 'zod';
import type { BaseEvent, Stamp } from '../define-event.ts';
import type { Immutable } from '../immutable.ts';
import { EventError, describeInvalid } from '../error.ts';
import { lazy } from '../lazy.ts';
import { lenientReader } from '../lenient.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';

type StateUpdate = ReturnType<typeof ConversationStateUpdateEvent.create>;

/**
 * Definition of a fact: a record that decides behaviour and has no event kind, stored as a state update with a `varve.`
 * key.
 */
export interface FactDefinition<Value> {
  readonly key: `varve.${string}`;
  /** Schema of the value, strict: what `create` accepts. */
  readonly schema: z.ZodType<Value>;
  /** @throws {EventError} `invalid` for a value that does not match the schema. */
  create(value: Immutable<Value>, stamp: Stamp): StateUpdate;
  /** Returns the value of the fact with unknown fields kept, or undefined for other events and invalid values. */
  read(event: BaseEvent): Immutable<Value> | undefined;
}

/**
 * Defines a fact. Values are JSON; instants in them are UTC milliseconds. Keys of this package have one dot, keys of
 * applications have two (`varve.acme.rating`), so that they never collide.
 *
 * @param build Returns the schema; called on first use.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineFact<Value>(key: `varve.${string}`, build: () => z.ZodType<Value>): FactDefinition<Value> {
  const schema = lazy(build);
  // A later version may add fields. An effect fact that was unreadable because of them would be executed twice.
  const reader = lenientReader(schema);
  return {
    key,
    get schema() {
      return schema();
    },
    create(value, stamp) {
      const result = schema().safeParse(value);
      if (!result.success) throw new EventError('invalid', describeInvalid(key, result.error), { cause: result.error });
      return ConversationStateUpdateEvent.create({ key, value: result.data }, stamp);
    },
    read(event) {
      if (!ConversationStateUpdateEvent.is(event) || event.key !== key) return undefined;
      const result = reader(event.value);
      return result.success ? (result.data as Immutable<Value>) : undefined;
    },
  };
}

/** Returns true for facts, which clients of the reference should not receive. */
export function isFact(event: BaseEvent): event is StateUpdate {
  return ConversationStateUpdateEvent.is(event) && event.key.startsWith('varve.');
}
