export type { Capabilities } from './capabilities.ts';
export type { Delta } from './delta.ts';
export { LlmError, type LlmErrorCode, type LlmErrorOptions } from './error.ts';
export { isLoopback } from './is-loopback.ts';
export type { GenerateOptions, LanguageModel, ModelWrapper } from './language-model.ts';
export type { FinishReason, ModelReply } from './model-reply.ts';
export type { ModelParameters, ModelRequest, ToolSpec } from './model-request.ts';
export { openaiChat, type OpenAiChatOptions } from './openai/openai-chat.ts';
export { retry, type RetryNotice, type RetryOptions } from './retry.ts';
