import { z } from 'zod';
import { HookExecutionEvent } from '../kinds/hook-execution-event.ts';
import type { BaseEvent } from '../define-event.ts';
import type { Projection } from '../projections/projection.ts';
import { stateFields } from '../projections/state-fields.ts';

/** What hooks stopped: event id to reason, oldest first. An action that was answered since is still in here. */
export interface Blocked {
  readonly actions: ReadonlyMap<string, string>;
  readonly messages: ReadonlyMap<string, string>;
}

const lists = new Map([
  ['blocked_actions', 'actions'],
  ['blocked_messages', 'messages'],
]);
const reasons = z.record(z.string(), z.string());
const noReason = 'A hook gave no reason.';

/**
 * The actions and messages of a log that hooks stopped. Log scope: the reference's hook events often stand beside the branch
 * of the event they are about.
 */
export const blockedProjection: Projection<Blocked> = {
  name: 'blocked',
  version: 1,
  scope: 'log',
  initial: () => ({ actions: new Map(), messages: new Map() }),
  apply: (blocked, event) => (HookExecutionEvent.is(event) ? byHook(blocked, event) : byUpdate(blocked, event)),
  read: (blocked) => blocked,
  encode: ({ actions, messages }) => ({ actions: [...actions], messages: [...messages] }),
  decode(json) {
    const { actions, messages } = json as unknown as Record<keyof Blocked, [string, string][]>;
    return { actions: new Map(actions), messages: new Map(messages) };
  },
};

function byHook(blocked: Blocked, event: HookExecutionEvent): Blocked {
  const { action_id: action, message_id: message, reason = noReason } = event;
  if (!event.blocked) return blocked;
  return {
    actions: action === undefined ? blocked.actions : new Map([...blocked.actions, [action, reason]]),
    messages: message === undefined ? blocked.messages : new Map([...blocked.messages, [message, reason]]),
  };
}

/** An update names all that is blocked, so it may also lift what was. */
function byUpdate(blocked: Blocked, event: BaseEvent): Blocked {
  return stateFields(event).reduce((all, [key, value]) => {
    const list = lists.get(key);
    const named = reasons.safeParse(value);
    return list && named.success ? { ...all, [list]: new Map(Object.entries(named.data)) } : all;
  }, blocked);
}
