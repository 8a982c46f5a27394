import { expect, test } from 'vitest';
import { providers } from '../providers/providers.ts';
import { listedModels } from './listed-models.ts';

test('models are listed by the names of providers', async () => {
  const listed = await listedModels();
  for (const name of Object.keys(listed)) expect(providers).toHaveProperty(name);
  expect(listed['openai']).toContain('gpt-4o');
  expect(listed['anthropic']?.some((name) => name.startsWith('claude-'))).toBe(true);
  expect(listed['openai']).toEqual(listed['openai']?.toSorted());
});
