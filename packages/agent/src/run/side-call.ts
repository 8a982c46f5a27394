import { LlmError, type LanguageModel, type ModelReply, type ModelRequest } from '@varve/llm';
import { messageDigester } from '../log/digest.ts';
import { maskedDigests } from '../request/request.ts';
import type { Session } from '../agent/session.ts';
import { failedAttemptDrafts, replyFactDraft, type ReplyFactContext } from './reply-events.ts';

/** Options of {@link callModel}. */
export interface SideCallOptions {
  /** Name under which the usage counts: `ask`, `title`, `condenser`. Never `agent`. */
  readonly usageId: string;
  readonly model: LanguageModel;
  readonly signal?: AbortSignal;
}

/**
 * Calls a model outside the steps of a run and stores its usage as `varve.call`, failed attempts included, so that
 * statistics and budgets count it, those of parent conversations too. Nothing else is stored: view, prompt and branch
 * stay the same. The text of the reply is masked.
 *
 * @throws {LlmError} what the model throws; {@link StorageError} when the usage cannot be stored.
 */
export async function callModel(
  request: ModelRequest,
  { usageId, model, signal }: SideCallOptions,
  session: Session,
): Promise<ModelReply> {
  const { journal, ledger, mask, now } = session;
  const facts = (): ReplyFactContext => ({
    digests: { messages: messageDigester()(mask(request.messages)), ...maskedDigests(request, mask) },
    projections: {},
    usageId,
    now: now(),
    newId: () => journal.newId(),
  });
  const reply = await model.generate(request, { ...(signal && { signal }) }).catch(async (error: unknown) => {
    if (error instanceof LlmError && error.failedAttempts.length > 0) {
      await journal.emit(failedAttemptDrafts(error.failedAttempts, facts()));
      await ledger.reportTotals();
    }
    throw error;
  });
  const failed = failedAttemptDrafts(reply.failedAttempts ?? [], facts());
  await journal.emit([...failed, replyFactDraft(reply, { actions: [] }, facts())]);
  await ledger.reportTotals();
  // What is made of the text may be cut, and a part of a secret would not be found any more.
  return { ...reply, message: { ...reply.message, content: mask(reply.message.content) } };
}
