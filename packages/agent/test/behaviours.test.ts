import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = readFileSync(new URL('behaviours.md', root), 'utf8');
const rows = [...manifest.matchAll(/^\| .* \| \[[^\]]+\]\((?<file>(?:src|test|\.\.)\/[^)]+)\): (?<title>.*?) +\|$/gm)];
const listed = rows.map(({ groups }) => [groups?.['file'] ?? '', groups?.['title'] ?? ''] as const);

test('every row of the manifest names a test', () => {
  const [table = ''] = manifest.split('## Not here');
  const lines = table
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

/** The lists that were drawn up of the reference: 74 behaviours, and traps by section. */
const entries = [
  ...Array.from({ length: 74 }, (_, index) => `13.${index + 1}`),
  ...'2a 2b 2c 3a 3b 3c 3d 3e 3f 3g 3h 4a 4b 4c 4d 4e 4f 4g 4h 5a 5b 5c 5d 5e 5f 6a 6b 6c 6d 6e 7a 8a 9a 9b 9c 10a 11a 12a'
    .split(' ')
    .map((trap) => `17 ${trap}`),
];

test('every tricky behaviour and every trap is in the manifest, with its test or with the reason why not', () => {
  const cells = [...manifest.matchAll(/(?<![\d.])1[37][ .]\d+[a-h]?(?!\d)/g)].map(([entry]) => entry);
  expect(entries.filter((entry) => !cells.includes(entry))).toEqual([]);
  expect(cells.filter((entry) => !entries.includes(entry))).toEqual([]);
});
