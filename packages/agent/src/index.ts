export { createAgent, type CreateAgentOptions, type RunnableAgent } from './conversation/create-agent.ts';
export { defineAgent, type Agent, type AgentOptions } from './agent.ts';
export type { ToolsContext } from './specs/toolset.ts';
export { alwaysConfirm } from './confirmation/always-confirm.ts';
export type { ChildOptions } from './conversation/child-conversation.ts';
export type { ConfirmationPolicy } from './confirmation/confirmation-policy.ts';
export type { ProposedCall } from './risk/risk-analyzer.ts';
export { confirmRisky, type ConfirmRiskyOptions } from './confirmation/confirm-risky.ts';
export { Conversation } from './conversation/conversation.ts';
export type {
  ConversationOptions,
  CreateOptions,
  OpenOptions,
  UserInput,
} from './conversation/conversation-options.ts';
export type { ConversationState } from './log/conversation-state.ts';
export { AgentError, type AgentErrorCode } from './error.ts';
export type { Budget, Limits } from './budget/limits.ts';
export type { DirectCall } from './conversation/direct-call.ts';
export type { ForkOptions } from './conversation/fork-conversation.ts';
export type { TitleOptions } from './conversation/title.ts';
export { neverConfirm } from './confirmation/never-confirm.ts';
export { codingPrompt } from './prompt/preset-prompt.ts';
export type { Prompt, PromptContext, PromptText } from './prompt/prompt.ts';
export { readEvents, type LoggedEvent } from './log/read-log.ts';
export { readRequest } from './conversation/read-request.ts';
export { readState } from './log/read-log.ts';
export type { EventMaker } from './conversation/record-events.ts';
export type { RunOptions } from './run/run-options.ts';
export type { EndReason, RunResult } from './run/run-result.ts';
export type { StuckRules } from './stuck/stuck-rules.ts';
