import { expect, test } from 'vitest';
import { applyChunks } from './apply-chunks.ts';
import type { ChunkLine } from './parse-patch.ts';

const { signal } = new AbortController();

// More arguments than a call of a function can have: 120,000 were an exception instead of a result.
test.for([10, 1000, 150_000])('a change with %d places, each between two lines that stay, is made', async (count) => {
  const lines = Array.from({ length: count }, (): ChunkLine[] => [
    { mark: ' ', text: 'a' },
    { mark: '+', text: 'b' },
  ]).flat();
  const chunk = { anchors: [], lines, isAtEnd: false, line: 1 };
  const file = { text: 'a\n'.repeat(count), lineEnd: '\n' } as const;
  const patched = await applyChunks(file, { path: 'file', chunks: [chunk], signal });
  expect(patched).toEqual({ text: 'a\nb\n'.repeat(count), fuzz: 0 });
});
