import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly '@varve/source': string }>>;
};
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [[subpath, target['@varve/source']] as const],
);

/** What a file takes from elsewhere: static, dynamic and type imports, and re-exports. */
function importsOf(source: string): readonly string[] {
  return [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** Every name that is imported from outside the package, from this file on. */
function foreignNames(entry: URL): ReadonlySet<string> {
  const foreign = new Set<string>();
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file; file = open.pop()) {
    if (seen.has(file.href)) continue;
    seen.add(file.href);
    for (const name of importsOf(readFileSync(file, 'utf8'))) {
      if (name.startsWith('.')) open.push(new URL(name, file));
      else foreign.add(name);
    }
  }
  return foreign;
}

test('every way of importing is seen', () => {
  const source = `import a from 'a'; export { b } from "b"; import 'c'; await import('d'); import type { E } from 'e'; require('f')`;
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the package depends on zod alone', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
});

describe.for(entries)('%s', ([subpath, target]) => {
  test('runs wherever JavaScript does: it imports nothing but zod', () => {
    const names = [...foreignNames(new URL(target, root))].filter(
      (name) => name !== 'zod' && !name.startsWith('@varve/'),
    );
    // Contract suites are for test runs, and these have node:assert.
    expect(names).toEqual(subpath === './testing' ? ['node:assert/strict'] : []);
  });
});
