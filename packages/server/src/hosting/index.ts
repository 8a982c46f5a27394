export { RequestError, type RequestErrorCode } from '../error.ts';
export type { Conversations, Sent, Created } from './conversations.ts';
export { setSecrets } from './changes/private-changes.ts';
export { setConfirmation } from './changes/set-confirmation.ts';
export { askModel, condense } from './changes/side-questions.ts';
export { switchModel } from './changes/switch-model.ts';
export { createHost, type Host } from './host.ts';
export type { LiveConversation } from './live/live-conversation.ts';
export { startRequest, type StartRequest } from './request/start-request.ts';
