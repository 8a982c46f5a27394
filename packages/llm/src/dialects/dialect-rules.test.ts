import { expect, test } from 'vitest';
import { dialectFor } from './dialect-rules.ts';
import { unknownDialect, type Dialect } from './dialect.ts';

type Row = readonly [root: string, model: string, differs: Partial<Dialect>];

const rows: readonly Row[] = [
  ['http://localhost:8000/v1', 'some-model', {}],
  ['https://openai.example.com/v1', 'gpt-5.1', {}],
  ['https://notopenrouter.ai/v1', 'm', {}],
  [
    'https://api.openai.com/v1',
    'gpt-5.1',
    {
      outputLimit: 'max_completion_tokens',
      callIds: 'plain',
      system: 'anywhere',
      cacheKey: true,
      thinkTags: 'never',
    },
  ],
  ['https://openrouter.ai/api/v1', 'openai/gpt-5.1', { effort: 'reasoning', asksForCost: true }],
  [
    'https://openrouter.ai/api/v1',
    'Anthropic/Claude-Sonnet-4.5:beta',
    {
      effort: 'reasoning',
      asksForCost: true,
      cacheMarks: true,
      callIds: 'plain',
      system: 'anywhere',
      thinkTags: 'never',
    },
  ],
  [
    'https://openrouter.ai/api/v1',
    'moonshotai/kimi-k3',
    { effort: 'reasoning', asksForCost: true, reasoningBack: 'with-calls' },
  ],
  ['http://localhost:4000/v1', 'not-claude-at-all', {}],
  ['http://localhost:4000/v1', 'claude', {}],
  [
    'http://localhost:11434/v1',
    'gemma3:27b',
    { schema: 'flat', imageUrls: false, cutsPrompts: true, turns: 'alternating' },
  ],
  ['https://api.moonshot.ai/v1', 'kimi-k2-instruct', {}],
  ['https://api.moonshot.ai/v1', 'kimi-k2.5', { reasoningBack: 'with-calls', without: ['temperature', 'top_p'] }],
];

test.for(rows)('%s with %s differs from the default by its rules', ([root, model, differs]) => {
  expect(dialectFor({ root, model })).toEqual({ ...unknownDialect, ...differs });
});
