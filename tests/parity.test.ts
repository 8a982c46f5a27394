import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, root } from './workspace.ts';

/** A feature of `docs/parity.md` that has an id and names its tests. */
interface Feature {
  readonly id: string;
  readonly state: string;
  readonly tests: readonly { readonly title: string; readonly file: string }[];
  /** Limits, or the reason why the feature is not planned. */
  readonly note: string;
}

const page = readText('docs/parity.md');
const rows = [...page.matchAll(/^- \*\*(P-\d+)\*\* \(([^)]+)\) (.+)$/gm)].map(
  ([, id = '', state = '', description = '']): Feature => {
    const [text = '', tests = ''] = description.split(' Tests: ');
    const links = [...tests.matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g)];
    const [, ...notes] = text.split('; ');
    return { id, state, note: notes.join('; '), tests: links.map(([, title = '', file = '']) => ({ title, file })) };
  },
);

test('each feature of the parity page has an id of its own and a known state', () => {
  expect(rows.length).toBeGreaterThan(40);
  expect(rows).toHaveLength([...page.matchAll(/^- \*\*/gm)].length);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const states = new Set(['yes', 'partly', 'planned', 'not planned', 'extension']);
  expect(rows.filter(({ state }) => !states.has(state)).map(({ id, state }) => `${id}: ${state}`)).toEqual([]);
});

test('each feature that is present names its tests, and one that is not planned its reason', () => {
  const unproven = rows.filter(
    ({ state, tests }) => ['yes', 'partly', 'extension'].includes(state) && tests.length === 0,
  );
  const unexplained = rows.filter(
    ({ state, note }) => ['partly', 'planned', 'not planned'].includes(state) && note === '',
  );
  expect([...unproven, ...unexplained].map(({ id }) => id)).toEqual([]);
});

test('what is missing of a feature that is partly there has a decision', () => {
  const open = rows.filter(({ state, note }) => state === 'partly' && !/(?:is|are) not planned, because /.test(note));
  expect(open.map(({ id }) => id)).toEqual([]);
});

test('each named test exists', () => {
  const missing = rows.flatMap(({ id, tests }) =>
    tests.filter(({ title, file }) => !hasTest(file, title)).map(({ title, file }) => `${id}: ${file}: ${title}`),
  );
  expect(missing).toEqual([]);
});

/** Returns true if a file contains the title of a test. */
function hasTest(file: string, title: string): boolean {
  if (!file.endsWith('.test.ts') || !existsSync(join(root, file))) return false;
  const quoted = [`'${title.replaceAll("'", String.raw`\'`)}'`, `"${title}"`, `\`${title}\``];
  return quoted.some((text) => readText(file).includes(text));
}
