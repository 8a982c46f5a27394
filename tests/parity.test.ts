import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parityPage, states, type Feature } from './parity.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText } from './workspace.ts';

const features = JSON.parse(readText('docs/parity.json')) as readonly Feature[];
const testFiles = Map.groupBy(
  trackedFiles().filter((file) => file.endsWith('.test.ts')),
  (file) => basename(file),
);

test('each feature has an id of its own and a known state', () => {
  expect(features.length).toBeGreaterThan(250);
  expect(new Set(features.map(({ id }) => id)).size).toBe(features.length);
  expect(features.filter(({ state }) => !states.includes(state)).map(({ id }) => id)).toEqual([]);
});

test('each feature that is present names its tests', () => {
  const unproven = features.filter(
    ({ state, tests = [] }) => ['yes', 'partly', 'extension'].includes(state) && tests.length === 0,
  );
  expect(unproven.map(({ id }) => id)).toEqual([]);
});

test('only a feature that is present has a change that its tests notice', () => {
  const changed = features.filter(({ change }) => change !== undefined);
  expect(changed.length).toBeGreaterThan(15);
  expect(changed.filter(({ tests = [] }) => tests.length === 0).map(({ id }) => id)).toEqual([]);
});

test('a feature lacks something exactly if it is partly present or planned', () => {
  const wrong = features.filter(
    ({ state, missing }) => ['partly', 'planned'].includes(state) === (missing === undefined),
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test('no note of a feature that is present admits that a part is missing', () => {
  const admitted = features.filter(
    ({ state, note = '' }) => state !== 'partly' && /\b(?:not planned|are planned|is planned)\b/.test(note),
  );
  expect(admitted.map(({ id }) => id)).toEqual([]);
});

test('a feature that is not planned has a reason', () => {
  const unexplained = features.filter(({ state, reason }) => state === 'not planned' && reason === undefined);
  expect(unexplained.map(({ id }) => id)).toEqual([]);
});

test('texts are short', () => {
  const long = features.filter(({ title, change = '', missing = '', reason = '', note = '' }) =>
    [title, change, missing, reason, note].some((text) => text.length > 200),
  );
  expect(long.map(({ id }) => id)).toEqual([]);
});

test('each named test exists', () => {
  const missing = features.flatMap(({ id, tests = [] }) =>
    tests.filter((name) => !hasTest(name)).map((name) => `${id}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('the page shows the data in at most 60 rows', async () => {
  const page = parityPage(features);
  expect(page.split('\n').filter((line) => /^(?:\||-)/.test(line)).length).toBeLessThanOrEqual(60);
  await expect(page).toMatchFileSnapshot('../docs/parity.md');
});

/** Returns true if a file of a name contains the title of a test. */
function hasTest(name: string): boolean {
  const [file = '', ...rest] = name.split(': ');
  const title = rest.join(': ');
  const quoted = [`'${title.replaceAll("'", String.raw`\'`)}'`, `"${title}"`, `\`${title}\``];
  return (testFiles.get(file) ?? []).some((path) => quoted.some((text) => readText(path).includes(text)));
}
