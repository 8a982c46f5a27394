import { LlmError } from '../error.ts';
import type { ModelReply } from '../model-reply.ts';

/** The failure of a request that was sent again, with what the earlier reply to it used: nobody gets that reply. */
export function failureAfter({ model, usage, costUsd, failedAttempts = [] }: ModelReply, error: unknown): unknown {
  if (!(error instanceof LlmError)) return error;
  const spent = { ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) };
  const own = usage || costUsd !== undefined ? [{ model, code: error.code, ...spent }] : [];
  return error.with({ failedAttempts: [...failedAttempts, ...own, ...error.failedAttempts] });
}
