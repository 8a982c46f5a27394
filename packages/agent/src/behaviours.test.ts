import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = readFileSync(new URL('behaviours.md', root), 'utf8');
const rows = [...manifest.matchAll(/^\| .* \| \[[^\]]+\]\((?<file>src\/[^)]+)\): (?<title>.*?) +\|$/gm)];
const listed = rows.map(({ groups }) => [groups?.['file'] ?? '', groups?.['title'] ?? ''] as const);

test('every row of the manifest names a test', () => {
  const lines = manifest
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  expect(listed).toHaveLength(lines.length);
  expect(listed.length).toBeGreaterThan(40);
});

test.for(listed)('%s has a test titled: %s', ([file, title]) => {
  const source = readFileSync(new URL(file, root), 'utf8');
  expect(['`', "'"].some((quote) => source.includes(`${quote}${title}${quote},`))).toBe(true);
});
