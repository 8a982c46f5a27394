import type { BaseEvent } from '@varve/events';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';

const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));

/** Key of a custom fact, for example `varve.acme.rating`. Facts of varve have one dot. */
const customFact = /^varve\.[^.]+\../;

/** Reports whether the kind, or the fact, of an event is defined by the application and not by varve. */
export function isCustomEvent(event: BaseEvent): boolean {
  return !builtin.has(event.kind) || (ConversationStateUpdateEvent.is(event) && customFact.test(event.key));
}
