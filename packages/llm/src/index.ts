export type { Capabilities } from './capabilities.ts';
export type { Delta } from './delta.ts';
export { LlmError, type LlmErrorCode, type LlmErrorOptions } from './error.ts';
export { estimateRequest } from './estimate-request.ts';
export { estimateTokens } from './estimate-tokens.ts';
export type { FailedAttempt } from './error.ts';
export type { GenerateOptions, LanguageModel, ModelWrapper } from './language-model.ts';
export { modelFrom, type ModelFromOptions } from './providers/model-from.ts';
export type { FinishReason, ModelReply } from './model-reply.ts';
export type { ModelParameters, ModelRequest, ToolSpec } from './model-request.ts';
export type { TextCallFormat } from './text-calls/formats/readers.ts';
export {
  functionCalling,
  type FunctionCallingOptions,
  type TextCallNotice,
} from './function-calling/function-calling.ts';
export { mockFunctionCalling, type MockFunctionCallingOptions } from './function-calling/mock-function-calling.ts';
export type { MockNotice } from './text-calls/mock-notice.ts';
export type { Dialect } from './dialects/dialect.ts';
export { dialectFor } from './dialects/dialect-rules.ts';
export { openaiChat, type OpenAiChatOptions } from './chat/openai-chat.ts';
export type { PromptCut } from './protocol/prompt-cut.ts';
export { listModels } from './probes/list-models.ts';
export { probeModel } from './probes/probe-model.ts';
export { providers, type Provider } from './providers/providers.ts';
export { openaiResponses, type OpenAiResponsesOptions } from './responses/openai-responses.ts';
export type { ReplyLimits } from './http/reply-limits.ts';
export { retry, type RetryNotice, type RetryOptions } from './retry.ts';
