import assert from 'node:assert/strict';
import { StorageError, type StorageErrorCode } from '../contract/error.ts';

/** Asserts that work rejects with a `StorageError` of this code, and returns the error. */
export async function rejectsWith(code: StorageErrorCode, work: () => Promise<unknown>): Promise<StorageError> {
  const error: unknown = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StorageError, `expected a StorageError '${code}', got ${String(error)}`);
  assert.equal(error.code, code, error.message);
  return error;
}

/** Waits for `work`, with a timeout that is long enough for a busy machine. */
export async function within<T>(what: string, work: Promise<T>, ms = 30_000): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
