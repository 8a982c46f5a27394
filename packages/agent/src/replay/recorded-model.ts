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

/** Options of {@link recordedModel}. */
export interface RecordedModelOptions {
  /** Model that answers the requests beyond the last recorded one. Default none: they reject with `script-mismatch`. */
  readonly afterwards?: LanguageModel | undefined;
}

/**
 * Answers the n-th request with the n-th reply of a log, whatever the request: with real tools, it shows what has
 * changed around the model.
 */
export async function recordedModel(
  log: LogReader,
  kinds: readonly EventKind[] = [],
  { afterwards }: RecordedModelOptions = {},
): Promise<RecordedModel> {
  const replies = await recordedReplies(log, eventCodec([...builtinKinds, ...kinds]));
  const digest = messageDigester();
  const diverged: number[] = [];
  let next = 0;
  return {
    spec: { kind: 'recorded', conversation: log.id },
    name: replies[0]?.reply.model ?? 'recorded',
    capabilities: afterwards?.capabilities ?? { functionCalling: true, vision: true, streaming: false },
    length: replies.length,
    diverged,
    async generate(request, options = {}) {
      const { signal } = options;
      if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
      const number = next++;
      const recorded = replies[number];
      if (!recorded && afterwards) return afterwards.generate(request, options);
      if (!recorded) {
        throw new LlmError(
          'script-mismatch',
          `Request ${number + 1} has no recorded reply: the log has ${replies.length}.`,
        );
      }
      if (recorded.digests && digest(request.messages) !== recorded.digests.messages) diverged.push(number);
      return recorded.reply;
    },
  };
}
