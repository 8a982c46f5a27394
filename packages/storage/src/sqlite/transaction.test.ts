import { expect, test } from 'vitest';
import { resultCodes, toStorageError } from './errors.ts';
import { retryWhileBusy } from './transaction.ts';

function raised(errcode: number): Error {
  return Object.assign(new Error('raised'), { code: 'ERR_SQLITE_ERROR', errcode });
}

/** Fails this many times, then returns 'done'. */
function failing(errcode: number, times: number): () => string {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls <= times) throw raised(errcode);
    return 'done';
  };
}

test.for([
  ['busy', resultCodes.busy],
  ['locked', resultCodes.locked],
  ['in a protocol error caused by a process that was stopped at the wrong moment', resultCodes.protocol],
  ['busy with a recovery', resultCodes.busy | (1 << 8)],
] as const)('work is tried again while the database is %s', async ([, code]) => {
  expect(await retryWhileBusy(failing(code, 3), 60_000)).toBe('done');
  await expect(retryWhileBusy(failing(code, Infinity), 0)).rejects.toMatchObject({ errcode: code });
  const message = '/the/path stayed locked by another process.';
  expect(toStorageError(raised(code), '/the/path')).toMatchObject({ code: 'io', message });
});

test('an error other than a lock is not retried', async () => {
  for (const code of [resultCodes.io, resultCodes.full, resultCodes.corrupt, 1, 19, 21]) {
    await expect(retryWhileBusy(failing(code, 1), 60_000)).rejects.toMatchObject({ errcode: code });
  }
});

test('a process that was stopped until after its deadline tries exactly once more', async () => {
  let calls = 0;
  const stopped = (isFree: () => boolean) => (): string => {
    calls += 1;
    for (const start = performance.now(); performance.now() < start + 5;);
    if (isFree()) return 'done';
    throw raised(resultCodes.busy);
  };
  expect(
    await retryWhileBusy(
      stopped(() => calls > 1),
      1,
    ),
  ).toBe('done');
  calls = 0;
  await expect(
    retryWhileBusy(
      stopped(() => false),
      1,
    ),
  ).rejects.toMatchObject({ errcode: resultCodes.busy });
  expect(calls).toBe(2);
});
