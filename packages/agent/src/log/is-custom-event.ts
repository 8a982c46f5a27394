import type { BaseEvent } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';

const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));

/** What a fact of one's own is called: `varve.acme.rating`. Those of varve have one dot. */
const ownFact = /^varve\.[^.]+\../;

/** Whether the owner of a conversation made up what an event holds: it is of a kind, or a fact, that varve does not know. */
export function isCustomEvent(event: BaseEvent): boolean {
  return !builtin.has(event.kind) || (ConversationStateUpdateEvent.is(event) && ownFact.test(event.key));
}
