import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly '@varve/source': string }>>;
};
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [[subpath, target['@varve/source']] as const],
);

/** Returns the specifiers of all imports and re-exports of a file. */
function importsOf(source: string): readonly string[] {
  return [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** Returns all specifiers outside the package that a file imports, directly or indirectly. */
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

test('every form of import is found', () => {
  const source = `import a from 'a'; export { b } from "b"; import 'c'; await import('d'); import type { E } from 'e'; require('f')`;
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('the package depends on zod alone', () => {
  expect([manifest.dependencies ?? {}, Object.keys(manifest.peerDependencies)]).toEqual([{}, ['zod']]);
});

describe.for(entries)('%s', ([subpath, target]) => {
  test('imports nothing but zod', () => {
    const names = [...foreignNames(new URL(target, root))].filter(
      (name) => name !== 'zod' && !name.startsWith('@varve/'),
    );
    // Contract suites run in test runners, where node:assert is available.
    expect(names).toEqual(subpath === './testing' ? ['node:assert/strict'] : []);
  });
});
