import { expect, test } from 'vitest';
import { relativeLinks } from './relative-links.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText } from './workspace.ts';

const places = trackedFiles().filter((file) => file.endsWith('/guarantees.md') && file !== 'docs/guarantees.md');
const listed = places.flatMap((file) => sections(readText(file)));
const page = readText('docs/guarantees.md');
const first = sections(page).map((section) => ({ ...section, title: section.title.replace(/^\[(.+)\]\(.+\)$/, '$1') }));
const promises = [...listed, ...first];
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
  expect(listed.length).toBeGreaterThan(100);
  expect(new Set(listed.map(({ title }) => title)).size).toBe(listed.length);
  expect(adversaries).toContain('store writer');
});

test('the first page has fifteen of the promises, and links to each list', () => {
  expect(first).toHaveLength(15);
  expect(first.filter(({ title }) => listed.every((entry) => entry.title !== title)).map(({ title }) => title)).toEqual(
    [],
  );
  const links = relativeLinks(page);
  expect(places.filter((file) => !links.includes(`../${file}`))).toEqual([]);
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
