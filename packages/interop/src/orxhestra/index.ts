export { canonicalJson, parseExactJson } from './canonical-json.ts';
export { chatMessageOf, chatMessagesOf, eventOfChatMessage } from './chat.ts';
export {
  eventOf,
  eventTypes,
  newEvent,
  newId,
  noActions,
  textPart,
  type Event,
  type EventActions,
  type Part,
} from './event.ts';
export { applyCompaction, shouldIncludeEvent } from './filters.ts';
export { readKeyFile } from './key-file.ts';
export { propertiesOf } from './properties.ts';
export { readEvents } from './read-events.ts';
export { sessionStateOf } from './session-state.ts';
export { signablePayload, signEvent, verifySignature } from './signing.ts';
export { signEvents, verifyEvents, type TrustPolicy } from './trust.ts';
export { writeSession } from './write-events.ts';
