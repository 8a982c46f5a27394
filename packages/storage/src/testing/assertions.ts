import assert from 'node:assert/strict';
import { StorageError, type StorageErrorCode } from '../contract/error.ts';

/** Fails unless the work fails with a `StorageError` of this code, and gives the error. */
export async function rejectsWith(code: StorageErrorCode, work: () => Promise<unknown>): Promise<StorageError> {
  const error: unknown = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StorageError, `expected a StorageError '${code}', got ${String(error)}`);
  assert.equal(error.code, code, error.message);
  return error;
}

/** Resolves as `work` does, or fails after a time that no busy machine needs, instead of waiting for ever. */
export async function within<T>(what: string, work: Promise<T>, ms = 30_000): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
