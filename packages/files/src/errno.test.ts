import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { errnoOf } from './errno.ts';

/** Returns an error as Node throws it for a number that it has no name for. */
function unnamed(number: number): Error {
  const code = `Unknown system error -${number}`;
  return Object.assign(new Error(`${code}: ${code}, write`), { code, errno: -number, syscall: 'write', path: '/a' });
}

test('errors that Node does not name have the name that the system gives their number', () => {
  const { EDQUOT, ESTALE } = constants.errno;
  expect([EDQUOT, ESTALE].map((number) => errnoOf(unnamed(number)))).toEqual(['EDQUOT', 'ESTALE']);
  expect(errnoOf(unnamed(9999))).toBe('Unknown system error -9999');
});

test('an error with a code that is not of a system call has no name', () => {
  expect(errnoOf(Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined();
  expect(errnoOf('ENOENT')).toBeUndefined();
});
