import type { EventOfKind } from './codec.ts';
import type { OpaqueEvent } from './opaque-event.ts';
import { ACPToolCallEvent } from './kinds/acp-tool-call-event.ts';
import { ActionEvent } from './kinds/action-event.ts';
import { AgentErrorEvent } from './kinds/agent-error-event.ts';
import { CondensationRequest } from './kinds/condensation-request.ts';
import { CondensationSummaryEvent } from './kinds/condensation-summary-event.ts';
import { Condensation } from './kinds/condensation.ts';
import { ConversationErrorEvent } from './kinds/conversation-error-event.ts';
import { ConversationStateUpdateEvent } from './kinds/conversation-state-update-event.ts';
import { HookExecutionEvent } from './kinds/hook-execution-event.ts';
import { InterruptEvent } from './kinds/interrupt-event.ts';
import { LLMCompletionLogEvent } from './kinds/llm-completion-log-event.ts';
import { MessageEvent } from './kinds/message-event.ts';
import { ObservationEvent } from './kinds/observation-event.ts';
import { PauseEvent } from './kinds/pause-event.ts';
import { ServerErrorEvent } from './kinds/server-error-event.ts';
import { StreamingDeltaEvent } from './kinds/streaming-delta-event.ts';
import { SystemPromptEvent } from './kinds/system-prompt-event.ts';
import { TokenEvent } from './kinds/token-event.ts';
import { UserRejectObservation } from './kinds/user-reject-observation.ts';

/** Every kind of event there is: add a file, then its line here. */
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

/** Any event of a built-in kind; `switch (event.kind)` narrows it. */
export type Event = EventOfKind<(typeof builtinKinds)[number]>;

/** What decoding with the built-in kinds gives. */
export type AnyEvent = Event | OpaqueEvent;
