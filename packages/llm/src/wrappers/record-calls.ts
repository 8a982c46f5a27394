import { textOf } from '@varve/events';
import { withoutUndefined } from '@varve/text';
import { LlmError } from '../error.ts';
import type { ModelWrapper } from '../language-model.ts';
import { wrappedModel } from '../wrapped-model.ts';
import type { ModelRequest } from '../model-request.ts';
import { redactJson, redactLine } from '../redact.ts';
import type { CassetteEntry, CassetteFailure } from './cassette.ts';
import { requestDigest } from './request-digest.ts';

/** Options of {@link recordCalls}. */
export interface RecordOptions {
  /** Called with each ended call; the caller receives the reply after it has resolved. */
  readonly record: (entry: CassetteEntry) => void | Promise<void>;
  /** Masked wherever they occur, as is everything that looks like a key. `cassetteModel` needs the same secrets. */
  readonly secrets?: readonly string[];
}

/**
 * Records each reply and each failure, without secrets, for `cassetteModel`. Aborted calls are not recorded. A call
 * whose recording fails is rejected, because an incomplete cassette is useless.
 */
export function recordCalls({ record, secrets = [] }: RecordOptions): ModelWrapper {
  return (model) =>
    wrappedModel(model, async (request, options) => {
      const head = { version: 1, digest: requestDigest(request, secrets), asked: lastText(request, secrets) } as const;
      try {
        const reply = await model.generate(request, options);
        await record({ ...head, reply: redactJson(reply, secrets) });
        return reply;
      } catch (error) {
        if (error instanceof LlmError && error.code !== 'aborted') {
          await record({ ...head, failure: failureOf(error, secrets) });
        }
        throw error;
      }
    });
}

function lastText({ messages }: ModelRequest, secrets: readonly string[]): string {
  return redactLine(textOf(messages.at(-1)?.content ?? []), secrets, 200);
}

function failureOf(error: LlmError, secrets: readonly string[]): CassetteFailure {
  const { code, message, status, retryAfterMs, partial, failedAttempts } = error;
  return {
    code,
    message: redactLine(message, secrets, 500),
    ...(partial && { partial: redactJson(partial, secrets) }),
    ...(failedAttempts.length > 0 && { failedAttempts }),
    ...withoutUndefined({ status, retryAfterMs }),
  };
}
