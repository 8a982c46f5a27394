export { classifyError } from '../classify-error.ts';
export { ACPToolCallEvent } from './acp-tool-call-event.ts';
export { HookExecutionEvent, hookEventTypes, type HookEventType } from './hook-execution-event.ts';
export { LLMCompletionLogEvent } from './llm-completion-log-event.ts';
export { ServerErrorEvent } from './server-error-event.ts';
export { StreamingDeltaEvent } from './streaming-delta-event.ts';
export { TokenEvent } from './token-event.ts';
