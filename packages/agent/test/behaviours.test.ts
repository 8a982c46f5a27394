import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = readFileSync(new URL('behaviours.md', root), 'utf8');
const items = manifest.split('\n').filter((line) => /^- .*\]\(/.test(line));
const listed = items.map((item): readonly [string, string] => {
  const { groups } = /^- .*? \[[^\]]+\]\((?<file>(?:src|test|\.\.)\/[^)]+)\): (?<title>.*)$/.exec(item) ?? {};
  return [groups?.['file'] ?? '', groups?.['title'] ?? ''];
});

test('every behaviour in the list names a test', () => {
  expect(listed.filter(([file, title]) => file === '' || title === '')).toEqual([]);
  expect(listed.length).toBeGreaterThan(140);
});

test.for(listed)('%s has a test titled: %s', ([file, title]) => {
  const source = readFileSync(new URL(file, root), 'utf8');
  expect(['`', "'"].some((quote) => source.includes(`${quote}${title}${quote},`))).toBe(true);
});
