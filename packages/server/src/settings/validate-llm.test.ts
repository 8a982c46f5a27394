import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { validateLlm } from './validate-llm.ts';

test.for([
  ['rate-limited', true],
  ['unavailable', true],
  ['unauthenticated', false],
] as const)('a model that answers with %s can be used: %s', async ([code, isUsable]) => {
  await using model = await scriptedServer(Array.from({ length: 4 }, () => ({ error: { code } })));
  const record = { model: 'openai/x', base_url: model.url, retry_min_wait: 0.001, retry_max_wait: 0.001 };
  const checked = await validateLlm(
    { record, key: 'sk-of-the-test' },
    { env: {}, signal: new AbortController().signal },
  );
  expect(checked?.type).toBe(isUsable ? undefined : code);
});
