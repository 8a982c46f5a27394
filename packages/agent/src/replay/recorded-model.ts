import { eventCodec, type EventKind } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { LlmError, type LanguageModel } from '@varve/llm';
import type { LogReader } from '@varve/storage';
import { messageDigester } from '../log/digest.ts';
import { recordedReplies } from './recorded-replies.ts';

/** A model that returns the replies of a log. */
export interface RecordedModel extends LanguageModel {
  /** Number of replies in the log. */
  readonly length: number;
  /** Numbers, from 0, of the requests that differed from the recorded ones. */
  readonly diverged: readonly number[];
}

/**
 * Answers the n-th request with the n-th reply of a log, whatever the request: with real tools, it shows what has
 * changed around the model. A request beyond the last one rejects with `script-mismatch`.
 */
export async function recordedModel(log: LogReader, kinds: readonly EventKind[] = []): Promise<RecordedModel> {
  const replies = await recordedReplies(log, eventCodec([...builtinKinds, ...kinds]));
  const digest = messageDigester();
  const diverged: number[] = [];
  let next = 0;
  return {
    spec: { kind: 'recorded', conversation: log.id },
    name: replies[0]?.reply.model ?? 'recorded',
    capabilities: { functionCalling: true, vision: true, streaming: false },
    length: replies.length,
    diverged,
    async generate({ messages }, { signal } = {}) {
      if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
      const number = next++;
      const recorded = replies[number];
      if (!recorded) {
        throw new LlmError(
          'script-mismatch',
          `Request ${number + 1} has no recorded reply: the log has ${replies.length}.`,
        );
      }
      if (digest(messages) !== recorded.digests.messages) diverged.push(number);
      return recorded.reply;
    },
  };
}
