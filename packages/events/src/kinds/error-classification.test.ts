import { expect, test } from 'vitest';
import { classifyError } from './error-classification.ts';
import { ConversationErrorEvent } from './index.ts';

test.for([
  ['LLMAuthenticationError', '', 'auth', false, 'settings'],
  ['MaxBudgetReached', '', 'quota', false, 'settings'],
  ['LLMRateLimitError', 'the connection timed out', 'rate_limit', true, 'retry'],
  ['MaxIterationsReached', '', 'agent_action', false, 'none'],
  ['LLMContextWindowExceedError', '', 'agent_action', true, 'retry'],
  ['TypeError', '', 'internal', false, 'none'],
  ['X', 'Incorrect API key provided: …', 'auth', false, 'settings'],
  ['X', 'Error code: 401', 'auth', false, 'settings'],
  ['X', 'You exceeded your current quota', 'quota', false, 'settings'],
  ['X', 'HTTP status 429', 'rate_limit', true, 'retry'],
  ['X', 'The model `m-9` does not exist', 'config', false, 'settings'],
  ['X', 'Request timed out.', 'transient', true, 'retry'],
  ['X', '502 Bad Gateway', 'transient', true, 'retry'],
  ['X', 'duplicate tool names', 'internal', false, 'none'],
  ['ConversationRunError', 'something', 'transient', true, 'retry'],
  ['X', 'line 4010 of 5000', 'unknown', false, 'none'],
] as const)('%s: "%s" is %s', ([code, detail, kind, retryable, user_action]) => {
  expect(classifyError(code, detail)).toEqual({ kind, retryable, user_action });
});

test('of two causes, the one that a person must fix decides', () => {
  expect(classifyError('X', 'connection closed: invalid api key').kind).toBe('auth');
});

test('a classification fits into an event', () => {
  const stamp = { id: '00000000-0000', timestamp: '2026-02-03T04:05:06.000007' };
  const classification = classifyError('X', 'rate limit');
  const event = ConversationErrorEvent.create({ source: 'environment', code: 'X', detail: '', classification }, stamp);
  expect(event.classification).toEqual(classification);
});
