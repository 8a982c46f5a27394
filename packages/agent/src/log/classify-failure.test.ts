import { expect, test } from 'vitest';
import { ConversationErrorEvent, type ErrorClassification } from '@varve/events/kinds';
import { LlmError, type LlmErrorCode } from '@varve/llm';
import { failureDrafts } from './drafts.ts';

test.for<
  [
    LlmErrorCode | 'MaxIterationsReached' | 'MaxBudgetReached' | 'MaxTimeReached' | 'TypeError',
    ErrorClassification['kind'],
  ]
>([
  ['unauthenticated', 'auth'],
  ['quota', 'quota'],
  ['rate-limited', 'rate_limit'],
  ['unavailable', 'transient'],
  ['timeout', 'transient'],
  ['unknown-model', 'config'],
  ['context-overflow', 'agent_action'],
  ['MaxIterationsReached', 'agent_action'],
  ['MaxTimeReached', 'agent_action'],
  ['MaxBudgetReached', 'quota'],
  ['TypeError', 'internal'],
])('a failure with the code %s is stored with the classification %s', ([code, kind]) => {
  const [failure] = failureDrafts(code, 'It failed.');
  const event = failure?.make({ id: '00000001', timestamp: '2026-01-01T12:00:00.000000' });
  expect(event).toMatchObject({ kind: 'ConversationErrorEvent', code, classification: { kind } });
  expect(event && ConversationErrorEvent.is(event)).toBe(true);
});

test('a failure is retryable exactly if the model call is, or if a later run can make the request smaller', () => {
  for (const code of ['rate-limited', 'unavailable', 'unauthenticated', 'unknown-model'] as const) {
    const [failure] = failureDrafts(code, '');
    const event = failure?.make({ id: '00000001', timestamp: '2026-01-01T12:00:00.000000' });
    expect(event).toMatchObject({ classification: { retryable: new LlmError(code, '').isRetryable } });
  }
});
