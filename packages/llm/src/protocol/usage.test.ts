import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usageOf } from './usage.ts';

interface Row {
  readonly title: string;
  readonly wire: unknown;
  /** Input, output, cache read, cache write, reasoning. */
  readonly tokens: readonly number[];
}

const rows: readonly Row[] = [
  {
    title: 'OpenAI',
    wire: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 80, audio_tokens: null },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    tokens: [100, 20, 80, 0, 5],
  },
  {
    title: 'DeepSeek',
    wire: { prompt_tokens: 100, completion_tokens: 2, prompt_cache_hit_tokens: 64 },
    tokens: [100, 2, 64, 0, 0],
  },
  {
    title: 'Moonshot',
    wire: { prompt_tokens: 100, completion_tokens: 2, cached_tokens: 50 },
    tokens: [100, 2, 50, 0, 0],
  },
  {
    title: 'a proxy that counts cached tokens inside the prompt',
    wire: { prompt_tokens: 100, completion_tokens: 2, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
    tokens: [100, 2, 60, 30, 0],
  },
  {
    title: 'a proxy that counts cached tokens separately from the prompt',
    wire: { prompt_tokens: 10, completion_tokens: 2, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
    tokens: [100, 2, 60, 30, 0],
  },
  {
    title: 'a provider that counts reasoning separately from the completion',
    wire: {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 8 },
    },
    tokens: [10, 10, 0, 0, 8],
  },
  {
    title: 'nulls and nonsense',
    wire: {
      prompt_tokens: 10,
      completion_tokens: null,
      prompt_tokens_details: null,
      cached_tokens: 'many',
      reasoning_tokens: -1,
    },
    tokens: [10, 0, 0, 0, 0],
  },
];

describe('token counts of', () => {
  test.for(rows)('$title', ({ wire, tokens }) => {
    expect(Object.values(usageOf(wire).usage ?? {})).toEqual(tokens);
  });
});

test('there is no usage without prompt tokens', () => {
  expect([usageOf(undefined), usageOf(null), usageOf({}), usageOf('x')]).toEqual([{}, {}, {}, {}]);
});

test('a cost is returned unchanged, zero included', () => {
  expect([usageOf({ cost: 0 }), usageOf({ cost: 0.02 }), usageOf({ cost: -1 })]).toEqual([
    { costUsd: 0 },
    { costUsd: 0.02 },
    {},
  ]);
});

test('parts never exceed their whole', () => {
  const count = fc.option(fc.nat(1000), { nil: undefined });
  const wire = fc.record({
    prompt_tokens: fc.nat(1000),
    completion_tokens: count,
    total_tokens: count,
    cached_tokens: count,
    cache_creation_input_tokens: count,
    reasoning_tokens: count,
  });
  fc.assert(
    fc.property(wire, (reported) => {
      const usage = usageOf(reported).usage;
      if (!usage) throw new Error('usage is missing');
      expect(usage.cache_read_tokens + usage.cache_write_tokens).toBeLessThanOrEqual(usage.input_tokens);
      expect(usage.reasoning_tokens).toBeLessThanOrEqual(usage.output_tokens);
    }),
  );
});
