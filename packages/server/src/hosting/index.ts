export { RequestError, type RequestErrorCode } from '../error.ts';
export type { Conversations, Created, PluginSource, Sent } from './conversations.ts';
export { createHost, type Host, type HostOptions } from './host.ts';
export type { LiveConversation } from './live-conversation.ts';
export { startRequest, type StartRequest } from './request/start-request.ts';
