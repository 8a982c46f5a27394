export {
  ConversationHost,
  type ConversationSource,
  type ConversationWatcher,
  type HostFigures,
} from './hosting/conversation-host.ts';
export { agentNamed, type AgentsByName } from './hosting/hosted-agent.ts';
export type { OpenConversation } from './hosting/open-conversations.ts';
export { isOwned } from './hosting/recover.ts';
export { goalWork } from './live/run-requests.ts';
export { keyedQueue, type OwnerQueue, repeatedly, taskQueue } from './queues.ts';
