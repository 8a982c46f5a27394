import { expect, test } from 'vitest';
import { diskError } from './disk-error.ts';

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
