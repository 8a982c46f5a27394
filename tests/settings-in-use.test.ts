import { expect, test } from 'vitest';
import { readText, sourcesOf, workspacePackages } from './workspace.ts';

const definitions = 'packages/settings/src/definitions/';
const code = workspacePackages()
  .filter(({ folder }) => folder !== 'examples')
  .flatMap(sourcesOf)
  .filter((file) => file.includes('/src/') && !file.endsWith('.test.ts') && !file.startsWith(definitions))
  .map(readText)
  .join('\n');

/** Keys that code reads: `get('a.b')`, and the beginnings of `` get(`a.${…}`) ``. */
const read = new Set(
  [...code.matchAll(/\b(?:get|entry)\(\s*(?:'([\w.]+)'|`([\w.]+)\$\{)/g)].map(([, key, start]) => key ?? start),
);

test('code reads each setting', () => {
  const keys = [...readText(`${definitions}settings.ts`).matchAll(/^ {2}'?([\w.]+)'?: setting\b/gm)].map(
    ([, key = '']) => key,
  );
  expect(keys.length).toBeGreaterThan(40);
  const unread = keys.filter((key) => !read.has(key) && !read.has(key.slice(0, key.lastIndexOf('.') + 1)));
  expect(unread, 'Nothing reads these with get(…) or entry(…): read or remove them').toEqual([]);
});

test('code reads each field of a model', () => {
  const fields = [...readText(`${definitions}llm-fields.ts`).matchAll(/^ {2}(\w+): \{/gm)].map(
    ([, field = '']) => field,
  );
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => !isFieldRead(field))).toEqual([]);
});

/** Returns true for `values.field`, and for `{ field, other: name } = values`. */
function isFieldRead(field: string): boolean {
  return new RegExp(String.raw`\bvalues\.${field}\b|\b${field}\b[^}\n]*\} = .*values`, 'i').test(code);
}
