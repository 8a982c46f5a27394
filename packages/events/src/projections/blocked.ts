import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { HookExecutionEvent } from '../kinds/hook-execution-event.ts';
import type { BaseEvent } from '../define-event.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';

/** Events that hooks stopped: id to reason, oldest first. Actions stay listed after they have a result. */
export interface Blocked {
  readonly actions: ReadonlyMap<string, string>;
  readonly messages: ReadonlyMap<string, string>;
}

interface BlockedState {
  actions: Map<string, string>;
  messages: Map<string, string>;
}

const lists = new Map<string, keyof Blocked>([
  ['blocked_actions', 'actions'],
  ['blocked_messages', 'messages'],
]);
const reasons = lazy(() => z.record(z.string(), z.string()));
const noReason = 'A hook gave no reason.';

/**
 * Folds the actions and messages that hooks stopped. Scope is the log, because hook events of the reference are often
 * not on the branch of their subject.
 */
export const blockedProjection: Projection<BlockedState, Blocked> = {
  name: 'blocked',
  version: 1,
  scope: 'log',
  initial: () => ({ actions: new Map(), messages: new Map() }),
  apply(state, event) {
    if (HookExecutionEvent.is(event)) applyHook(state, event);
    else applyUpdate(state, event);
    return state;
  },
  // A map cannot be frozen.
  read: ({ actions, messages }) => ({ actions: new Map(actions), messages: new Map(messages) }),
  encode: ({ actions, messages }) => ({ actions: [...actions], messages: [...messages] }),
  decode(json) {
    const { actions, messages } = json as unknown as Record<keyof Blocked, [string, string][]>;
    return { actions: new Map(actions), messages: new Map(messages) };
  },
};

function applyHook(state: BlockedState, event: HookExecutionEvent): void {
  const { action_id: action, message_id: message, reason = noReason } = event;
  if (!event.blocked) return;
  if (action !== undefined) state.actions.set(action, reason);
  if (message !== undefined) state.messages.set(message, reason);
}

/** An update contains all blocked ids, so it may also unblock some. */
function applyUpdate(state: BlockedState, event: BaseEvent): void {
  for (const [key, value] of stateFields(event)) {
    const list = lists.get(key);
    const named = reasons().safeParse(value);
    if (list && named.success) state[list] = new Map(Object.entries(named.data));
  }
}
