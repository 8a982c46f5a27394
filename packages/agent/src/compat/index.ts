export { Conversation } from './conversation.ts';
export { ConversationState, type Metrics, type Task } from './conversation-state.ts';
