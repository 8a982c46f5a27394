import assert from 'node:assert/strict';
import { ToolError, type ToolErrorCode } from '../error.ts';

/** Asserts that work fails with a {@link ToolError} of this code. */
export async function rejectsWithCode(work: Promise<unknown>, code: ToolErrorCode, hint?: string): Promise<void> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof ToolError, hint ?? String(failure));
  assert.equal(failure.code, code, hint ?? failure.message);
}
