import { expect, test } from 'vitest';
import { relativeLinks } from './relative-links.ts';

test('finds links to files, without anchors', () => {
  expect(relativeLinks('[a](a.md) and [`b`](../b.md#part), [c](#here)')).toEqual(['a.md', '../b.md']);
});

test('ignores external links and links in code', () => {
  expect(relativeLinks('[a](https://a.example/) `[b](b.md)`\n```md\n[c](c.md)\n```\n')).toEqual([]);
});
