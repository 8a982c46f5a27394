export { eventCodec, type EventCodec } from './codec.ts';
export { text, textOf, type Content, type ImageContent, type TextContent } from './content.ts';
export {
  defineEvent,
  type BaseEvent,
  type EventDefinition,
  type EventKind,
  type EventSource,
  type Stamp,
} from './define-event.ts';
export { EventError, type EventErrorCode } from './error.ts';
export type { ErrorClassification } from './error-classification.ts';
export { deepFreeze } from './immutable.ts';
export type { Json } from './json.ts';
export { builtinKinds, type AnyEvent, type Event } from './kinds.ts';
export { ActionEvent, type SecurityRisk } from './kinds/action-event.ts';
export { AgentErrorEvent } from './kinds/agent-error-event.ts';
export { Condensation } from './kinds/condensation.ts';
export { CondensationRequest } from './kinds/condensation-request.ts';
export { CondensationSummaryEvent } from './kinds/condensation-summary-event.ts';
export { ConversationErrorEvent } from './kinds/conversation-error-event.ts';
export { ConversationStateUpdateEvent } from './kinds/conversation-state-update-event.ts';
export { InterruptEvent } from './kinds/interrupt-event.ts';
export { MessageEvent } from './kinds/message-event.ts';
export { ObservationEvent } from './kinds/observation-event.ts';
export { PauseEvent } from './kinds/pause-event.ts';
export { SystemPromptEvent } from './kinds/system-prompt-event.ts';
export { UserRejectObservation } from './kinds/user-reject-observation.ts';
export { type Message, type ToolCall } from './message.ts';
export { isOpaque, type OpaqueEvent } from './opaque-event.ts';
export { timestamps } from './timestamps.ts';
