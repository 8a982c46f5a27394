export { canonicalJson, parseExactJson } from './canonical-json.ts';
export { chatMessageOf, chatMessagesOf, eventOfChatMessage, type ChatMessage } from './chat.ts';
export { orxhestraDatabaseFormat } from './database-format.ts';
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
export { propertiesOf, type EventProperties } from './properties.ts';
export { readEvents, type SessionRecord } from './read-events.ts';
export { orxhestraFormat } from './session-format.ts';
export { sessionStateOf, type SessionState } from './session-state.ts';
export {
  signablePayload,
  signEvent,
  verifySignature,
  type EventSigner,
  type PayloadScheme,
  type VerifySignatureOptions,
} from './signing.ts';
export { signEvents, verifyEvents, type EventVerdict, type TrustPolicy } from './trust.ts';
export { writeSession, type WriteSessionOptions, type WrittenSession } from './write-events.ts';
