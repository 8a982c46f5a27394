import { redactor, type Redactor } from '@varve/text';

/** Secret values that a server uses now: its keys, and those of open conversations. */
export interface SecretsInUse {
  /** Sets the values of a conversation, in place of those it had. */
  set(conversationId: string, values: readonly string[]): void;
  /** Removes the values of a conversation that was closed. */
  remove(conversationId: string): void;
  /** Replaces all of them in texts that no conversation masks: errors, logs, commands of clients, and git. */
  readonly redactor: Redactor;
}

/** Creates the secrets of a server that has its own keys only. */
export function secretsInUse(serverSecrets: readonly string[]): SecretsInUse {
  const byConversation = new Map<string, readonly string[]>();
  let values: readonly string[] | undefined = serverSecrets;
  return {
    redactor: redactor(
      // Conversations share most of their values, which are compiled for the redactor when they change.
      () => (values ??= [...new Set([serverSecrets, ...byConversation.values()].flat())]),
      { replacement: '<secret-hidden>' },
    ),
    set(id, changed) {
      byConversation.set(id, changed);
      values = undefined;
    },
    remove(id) {
      if (byConversation.delete(id)) values = undefined;
    },
  };
}
