import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('named secrets and everything that looks like a key are replaced', () => {
  const said =
    'Incorrect API key provided: sk-proj-abc12345. Bearer tok3n-value99, api_key="Zx9Yw8Vu7" and my-own-secret.';
  expect(redact(said, ['my-own-secret'])).toBe(
    'Incorrect API key provided: [redacted] Bearer [redacted], api_key="[redacted]" and [redacted].',
  );
});

test('words about keys and tokens stay', () => {
  const said = 'The bearer token is invalid; max_tokens: 4096 exceeds the token limit. Missing api key: none';
  expect(redact(said)).toBe(said);
});

test('text is one line of at most 300 characters', () => {
  const cut = redact(`a\n\tb ${'😀'.repeat(400)}`);
  expect(cut).toMatch(/^a b 😀+…$/u);
  expect(cut.length).toBeLessThanOrEqual(300);
});
