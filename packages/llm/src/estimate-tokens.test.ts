import { text } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateRequest } from './estimate-request.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Counted once with the tokenizer `o200k_base`. */
const samples: readonly (readonly [title: string, text: string, tokens: number])[] = [
  ['prose', 'The log is the only truth. Never change or delete a stored event, and store before you publish.', 20],
  [
    'code',
    "export function apiRoot(baseUrl: string): string {\n  return URL.parse(baseUrl.trim())?.href ?? '';\n}\n",
    24,
  ],
  ['JSON', '{"command": "grep -rn \\"x\\" src", "timeout": 30, "is_input": false}', 24],
  ['Chinese', '你好，世界。今天天气很好，我们去公园散步吧。', 16],
];

describe('an estimate', () => {
  test.for(samples)('of %s is between 0.8 and 2 times the count', ([, sample, tokens]) => {
    const ratio = estimateTokens(sample.repeat(20)) / (tokens * 20);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(2);
  });

  test('of an empty text is 0', () => expect(estimateTokens('')).toBe(0));

  test('is at least the estimate of any part of whole lines, and finite for any text', () => {
    const unit = fc.constantFrom('a', 'B', '1', ' ', '\n', '=', 'é', '語', '😀', '\uD800');
    fc.assert(
      fc.property(fc.string({ unit }), fc.string({ unit }), (left, two) => {
        const both = estimateTokens(`${left}\n${two}`);
        expect(Number.isInteger(both)).toBe(true);
        expect(both).toBeGreaterThanOrEqual(Math.max(estimateTokens(left), estimateTokens(two)) - 1);
      }),
    );
  });

  test('of a repeated character is bounded by its length', () => {
    for (const sign of ['a', 'A', '1', ' ', '\n', '=', 'é', '語', '😀', '\uD800']) {
      const length = 100_000;
      const tokens = estimateTokens(sign.repeat(length));
      expect(tokens).toBeGreaterThan(length / 20);
      expect(tokens).toBeLessThanOrEqual(length * sign.length);
    }
  });
});

test('the estimate of a request is the sum of its messages, calls, images and tools', () => {
  const sentence = 'Look at the picture of the harbour.';
  const bare = estimateRequest({
    messages: [{ role: 'user', content: [text(sentence)], thinking_blocks: [] }],
    tools: [],
  });
  expect(bare).toBe(estimateTokens(sentence) + 4);
  const image = {
    type: 'image',
    image_urls: ['data:image/png;base64,'.padEnd(1_000_000, 'A')],
    cache_prompt: false,
  } as const;
  const call = { id: 'a', name: 'grep', arguments: '{"pattern":"x"}', origin: 'completion' } as const;
  const full = estimateRequest({
    messages: [
      { role: 'user', content: [text(sentence), image], thinking_blocks: [] },
      { role: 'assistant', content: [], tool_calls: [call], reasoning_content: 'Because.', thinking_blocks: [] },
    ],
    tools: [{ name: 'grep', description: 'Searches.', parameters: { type: 'object' } }],
  });
  expect(full).toBeGreaterThan(bare + 1500 + 20);
  expect(full).toBeLessThan(bare + 1500 + 60);
});
