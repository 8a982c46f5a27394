import { expect, test } from 'vitest';
import { CodedError } from './coded-error.ts';

class PartError extends CodedError<'worn' | 'lost'> {
  override readonly name = 'PartError';
}

test('an error class of a package has its name, a code, a message and the cause', () => {
  const cause = new Error('The bolt is loose.');
  const error = new PartError('worn', 'The part is worn.', { cause });
  expect(error).toBeInstanceOf(PartError);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ code: 'worn', cause });
  expect(String(error)).toBe('PartError: The part is worn.');
});
