import { memoryStore, StorageError, type StorageErrorCode } from '@varve/storage';
import { expect, test } from 'vitest';
import { get, testKey } from '../../../test/support/requests.ts';
import { server } from '../../server.ts';

/** Returns the response to a request whose store fails, and the failures in the log. */
async function answered(error: Error) {
  const lines: string[] = [];
  const log = { level: 'error', stream: { write: (line: string) => lines.push(line) } } as const;
  const store = Object.assign(memoryStore(), {
    list: async () => {
      throw error;
    },
  });
  const response = await get(server({ store, keys: [testKey], log }), '/api/conversations/search');
  const failures = lines
    .map((line) => JSON.parse(line) as { readonly msg: string })
    .filter(({ msg }) => msg === 'failure');
  return { status: response.status, wait: response.headers.get('retry-after'), failures };
}

const noSpace = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
const noLock = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });

test.for<readonly [string, Error, number]>([
  ['a full store', new StorageError('full', 'There is no space left for /varve.db.'), 507],
  ['a full disk', new Error('The file cannot be written.', { cause: noSpace }), 507],
  ['a lock on a full disk', new Error('It cannot be locked.', { cause: noLock }), 507],
  ['a database that cannot be reached', new StorageError('io', 'The database cannot be reached.'), 503],
])('%s is answered with a status after which clients repeat, and logged', async ([, error, status]) => {
  expect(await answered(error)).toEqual({
    status,
    wait: '5',
    failures: [
      expect.objectContaining({ err: expect.objectContaining({ message: expect.stringContaining(error.message) }) }),
    ],
  });
});

test.for<readonly [StorageErrorCode, number]>([
  ['corrupt', 500],
  ['missing', 404],
])('a failure %s of the store is answered with %s', async ([code, status]) => {
  expect(await answered(new StorageError(code, 'No.'))).toMatchObject({ status, wait: null });
});
