export { Conversation, ConversationRunError } from './conversation.ts';
export { ConversationState, type Metrics, type Task } from './conversation-state.ts';
export { AgentMessageEvent, UserMessageEvent } from './message-events.ts';
