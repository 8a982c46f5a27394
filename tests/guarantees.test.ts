import { expect, test } from 'vitest';
import { relativeLinks } from './relative-links.ts';
import { readText } from './workspace.ts';

const promises = sections(readText('docs/guarantees.md'));
const adversaries = sections(readText('docs/threat-model.md')).map(({ title }) => title.toLowerCase());

test('each promise names adversaries of the threat model that it holds against', () => {
  const unnamed = promises.filter(({ body }) => {
    const named = /^Holds against: (.+)\.$/m.exec(body)?.[1]?.split(', ') ?? [];
    return named.length === 0 || named.some((name) => !adversaries.includes(name));
  });
  expect(unnamed.map(({ title }) => title)).toEqual([]);
});

test('each promise links to a test', () => {
  const untested = promises.filter(({ body }) => relativeLinks(/^Tests: .+$/m.exec(body)?.[0] ?? '').length === 0);
  expect(untested.map(({ title }) => title)).toEqual([]);
});

test('promises and adversaries have headings of their own', () => {
  expect(promises.length).toBeGreaterThan(50);
  expect(adversaries).toContain('store writer');
});

/** Level-3 sections of a Markdown text. */
function sections(markdown: string): readonly { readonly title: string; readonly body: string }[] {
  return markdown
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1);
      return { title, body: section.slice(title.length) };
    });
}
