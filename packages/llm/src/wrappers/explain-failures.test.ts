import { expect, test } from 'vitest';
import { LlmError } from '../error.ts';

test.for([
  ['The key is wrong', 'The key is wrong. No key was sent.'],
  ['The key is wrong.', 'The key is wrong. No key was sent.'],
])('a sentence is added to the message %j after its end', ([message = '', explained]) => {
  expect(new LlmError('unauthenticated', message).explained('No key was sent.').message).toBe(explained);
});
