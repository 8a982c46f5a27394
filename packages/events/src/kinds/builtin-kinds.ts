import type { EventOfKind } from '../codec.ts';
import type { OpaqueEvent } from '../opaque-event.ts';
import { ACPToolCallEvent } from './acp-tool-call-event.ts';
import { ActionEvent } from './action-event.ts';
import { AgentErrorEvent } from './agent-error-event.ts';
import { CondensationRequest } from './condensation-request.ts';
import { CondensationSummaryEvent } from './condensation-summary-event.ts';
import { Condensation } from './condensation.ts';
import { ConversationErrorEvent } from './conversation-error-event.ts';
import { ConversationStateUpdateEvent } from './conversation-state-update-event.ts';
import { HookExecutionEvent } from './hook-execution-event.ts';
import { InterruptEvent } from './interrupt-event.ts';
import { LLMCompletionLogEvent } from './llm-completion-log-event.ts';
import { MessageEvent } from './message-event.ts';
import { ObservationEvent } from './observation-event.ts';
import { PauseEvent } from './pause-event.ts';
import { ServerErrorEvent } from './server-error-event.ts';
import { StreamingDeltaEvent } from './streaming-delta-event.ts';
import { SystemPromptEvent } from './system-prompt-event.ts';
import { TokenEvent } from './token-event.ts';
import { UserRejectObservation } from './user-reject-observation.ts';

/** Every built-in kind of event. To add one, write its file and add a line here and in `index.ts`. */
export const builtinKinds = [
  ACPToolCallEvent,
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  CondensationRequest,
  CondensationSummaryEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  HookExecutionEvent,
  InterruptEvent,
  LLMCompletionLogEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  ServerErrorEvent,
  StreamingDeltaEvent,
  SystemPromptEvent,
  TokenEvent,
  UserRejectObservation,
] as const;

/** Event of any built-in kind; `switch (event.kind)` narrows it. */
export type Event = EventOfKind<(typeof builtinKinds)[number]>;

/** Result of decoding with the built-in kinds. */
export type AnyEvent = Event | OpaqueEvent;
