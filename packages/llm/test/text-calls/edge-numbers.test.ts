import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('each of the seventy edges has a test whose title begins with its number', () => {
  const sources = ['edges.test.ts', 'history-edges.test.ts'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  );
  const titles = sources.flatMap((source) => [...source.matchAll(/['"`](\d+): /g)].map(([, number]) => Number(number)));
  const numbers = Array.from({ length: 70 }, (_, index) => index + 1);
  expect([...new Set(titles)].toSorted((a, b) => a - b)).toEqual(numbers);
});
