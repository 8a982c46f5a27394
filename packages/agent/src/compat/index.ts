export { Conversation } from './conversation.ts';
export { ConversationState, type Metrics, type StateOptions, type Task } from './conversation-state.ts';
export { AgentMessageEvent, UserMessageEvent, type DocumentedMessage, type MessageAlias } from './message-events.ts';
export { ConversationRunError } from './run-error.ts';
export type { Persistence } from './state-file.ts';
