/**
 * Thrown by `Conversation.run` of this entry when a run fails. The cause is the error of the result.
 *
 * @see software-agent-sdk ConversationRunError
 */
export class ConversationRunError extends Error {
  override readonly name = 'ConversationRunError';
  readonly conversationId: string;

  constructor(conversationId: string, cause: Error) {
    super(`The run of conversation ${conversationId} failed: ${cause.message}`, { cause });
    this.conversationId = conversationId;
  }
}
