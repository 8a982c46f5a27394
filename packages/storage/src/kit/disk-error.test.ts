import { constants } from 'node:os';
import { errnoOf } from '@varve/files';
import { expect, test } from 'vitest';
import { diskError, isFileFailure } from './disk-error.ts';

test.each([
  [{}, 'There is no space left for a file of the store.'],
  [{ code: 'EACCES' }, 'A file of the store is not accessible to this process.'],
  [{ path: 'a/b' }, 'There is no space left for a/b.'],
  [{ path: 'a/b', code: 'EIO' }, 'The disk failed to read or write a/b.'],
  [{ path: 'a/b', code: 'EACCES' }, 'a/b is not accessible to this process.'],
])('the error of a system call %j is a sentence', (fields, message) => {
  const error = Object.assign(new Error('failed'), { syscall: 'write', code: 'ENOSPC', ...fields });
  expect(diskError(error)).toMatchObject({ name: 'StorageError', message });
});

/** An error as Node throws it for a number that it has no name for. */
function unnamed(number: number): Error {
  const code = `Unknown system error -${number}`;
  return Object.assign(new Error(`${code}: ${code}, write`), { code, errno: -number, syscall: 'write', path: '/a' });
}

test('errors that Node does not name have the name that the system gives their number', () => {
  const { EDQUOT, ESTALE } = constants.errno;
  expect([EDQUOT, ESTALE].map((number) => errnoOf(unnamed(number)))).toEqual(['EDQUOT', 'ESTALE']);
  expect(diskError(unnamed(EDQUOT))).toMatchObject({ code: 'full', message: 'The quota leaves no space for /a.' });
  expect(errnoOf(unnamed(9999))).toBe('Unknown system error -9999');
  expect(isFileFailure(unnamed(9999))).toBe(true);
});
