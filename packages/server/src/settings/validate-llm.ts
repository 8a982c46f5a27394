import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SpecError } from '@varve/events/specs';
import { callOnce, LlmError, type LlmErrorCode } from '@varve/llm';
import { redactor, type Variables } from '@varve/text';
import type { ReceivedLlm } from './llm-record.ts';
import { modelOfRecord } from './model-of-record.ts';

/** Options of {@link validateLlm}. */
export interface ValidateOptions {
  readonly env: Variables;
  readonly signal: AbortSignal;
}

/** Why a model cannot be used. */
export const llmProblem = lazy(() => z.object({ type: z.string(), message: z.string() }));

/** Milliseconds of the request; a slower server is accepted, as is one that limits requests or is overloaded. */
const patienceMs = 15_000;
const accepted = new Set<LlmErrorCode>(['rate-limited', 'timeout', 'aborted']);

/** Checks a model by one short request. Returns null for one that can be used. */
export async function validateLlm(
  { record, key }: ReceivedLlm,
  { env, signal }: ValidateOptions,
): Promise<z.output<ReturnType<typeof llmProblem>> | null> {
  try {
    const model = modelOfRecord({ ...record, num_retries: 1 }, { env, key });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    await callOnce(model, limit);
    return null;
  } catch (error) {
    if (error instanceof SpecError) return { type: 'BadRequestError', message: error.message };
    if (!(error instanceof LlmError)) throw error;
    // Without a status no server answered.
    const isOverloaded = error.code === 'unavailable' && error.status !== undefined;
    if (accepted.has(error.code) || isOverloaded) return null;
    // The message contains text of the server, which may repeat the key.
    return {
      type: error.code,
      message: redactor(key === undefined ? [] : [key], { replacement: '***' }).text(error.message),
    };
  }
}
