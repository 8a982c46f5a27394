import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { otherThanNames, indexNames } from './index-names.ts';
import { undocumented } from './undocumented.ts';
import { readText, root, sourcesOf, subpathsOf, workspacePackages, type WorkspacePackage } from './workspace.ts';

const packages = workspacePackages();

test('every exported subpath has a source file', () => {
  const missing = packages.flatMap(subpathsOf).filter(({ source }) => !existsSync(join(root, source)));
  expect(missing.map(({ specifier, source }) => `${specifier}: ${source}`)).toEqual([]);
});

const subpaths = packages.flatMap(subpathsOf).filter(({ source }) => existsSync(join(root, source)));

describe.for(subpaths.map(({ specifier, source }) => [specifier, readText(source)] as const))('%s', ([, index]) => {
  test('has an index of named exports and nothing else', () => {
    expect(otherThanNames(index)).toBe('');
  });
});

const libraries = packages.filter((pkg) => pkg.folder.startsWith('packages/') && namesOf(pkg) !== '');

test.for(libraries.map((library) => [library.folder, library] as const))('%s exports each name once', ([, library]) => {
  const names = subpathsOf(library).flatMap(({ source }) => indexNames(readText(source)).map(({ name }) => name));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

/** A changed name changes the file of its package; `pnpm test tests/exports -u` rewrites them. */
test.for(libraries.map((library) => [library.folder, library] as const))(
  'the names of %s match the golden file',
  async ([folder, library]) => {
    await expect(namesOf(library)).toMatchFileSnapshot(`golden/exports/${folder.replace('packages/', '')}.txt`);
  },
);

test.for(packages.filter(({ folder }) => folder !== 'examples').map((pkg) => [pkg.manifest.name, pkg] as const))(
  'every exported name of %s has a docstring',
  ([, pkg]) => {
    const sources = sourcesOf(pkg).filter((file) => !file.endsWith('.test.ts') && !file.includes('/test/'));
    expect(sources.flatMap((file) => undocumented(readText(file)).map((name) => `${file}: ${name}`))).toEqual([]);
  },
);

/** Each subpath of a package with its names below it, sorted. */
function namesOf(pkg: WorkspacePackage): string {
  return subpathsOf(pkg)
    .filter(({ source }) => existsSync(join(root, source)))
    .map(({ specifier, source }) => {
      const names = indexNames(readText(source)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return [specifier, ...names.map(({ name, isType }) => (isType ? `  type ${name}` : `  ${name}`)), ''].join('\n');
    })
    .join('\n');
}
