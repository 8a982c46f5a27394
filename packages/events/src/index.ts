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
export { deepFreeze, freezeJson } from './immutable.ts';
export type { Json } from './json.ts';
export { type Message, type ToolCall } from './message.ts';
export { unparsedArguments } from './messages/provider-rules.ts';
export { isOpaque, type OpaqueEvent } from './opaque-event.ts';
export { timestampAfter, timestamps } from './timestamps.ts';
export { tokenUsage, type TokenUsage } from './token-usage.ts';
