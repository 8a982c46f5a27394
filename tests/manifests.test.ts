import { expect, test } from 'vitest';
import { readText, sourcesOf, workspacePackages } from './workspace.ts';

const packages = workspacePackages();
const published = packages.filter(({ manifest }) => manifest.private !== true);
const catalog = readText('pnpm-workspace.yaml');

test.for(published.map(({ manifest }) => [manifest.name, manifest] as const))(
  '%s describes itself for a search on npm',
  ([, manifest]) => {
    const { description, keywords, homepage, bugs, author } = manifest;
    expect({ description, homepage, bugs, author }).toEqual({
      description: expect.stringMatching(/^.{40,130}$/),
      homepage: expect.stringContaining('https://github.com/'),
      bugs: expect.stringContaining('/issues'),
      author: expect.any(String),
    });
    expect(keywords?.length).toBeGreaterThan(4);
  },
);

test('published packages accept compatible versions of their dependencies', () => {
  const exact = published.flatMap(({ manifest }) =>
    Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies })
      .filter(([name, range]) => !acceptsPatches(name, range))
      .map(([name, range]) => `${manifest.name}: ${name} ${range}`),
  );
  expect(exact).toEqual([]);
});

test('the user of a library installs zod, whose types are part of the interface', () => {
  const libraries = published.filter(
    ({ folder, manifest }) => folder.startsWith('packages/') && needsZod(manifest.name),
  );
  expect(libraries.length).toBeGreaterThan(5);
  for (const { manifest } of libraries) {
    expect(manifest.dependencies ?? {}).not.toHaveProperty('zod');
    expect(manifest.peerDependencies).toMatchObject({ zod: 'catalog:peers' });
  }
});

// Each costs every embedder; decision 0127.
test('an installed @varve/agent has few dependencies', () => {
  expect(installedWith('@varve/agent').filter((name) => !name.startsWith('@varve/'))).toEqual([
    '@lydell/node-pty',
    '@pydantic/genai-prices',
    '@vscode/ripgrep',
  ]);
});

// esbuild keeps all of zod, its 40 languages included, for `import { z }`.
test('sources import zod as a namespace', () => {
  const named = packages
    .flatMap(sourcesOf)
    .filter((file) => /import (type )?\{[^}]*\} from 'zod'/.test(readText(file)));
  expect(named).toEqual([]);
});

/** Returns what npm installs with a package, sorted: its dependencies and those of workspace packages. */
function installedWith(name: string, found = new Set<string>()): readonly string[] {
  const { dependencies, optionalDependencies } = packages.find((pkg) => pkg.manifest.name === name)?.manifest ?? {};
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (!found.has(other)) installedWith(other, found.add(other));
  }
  return [...found].toSorted();
}

/** Returns true if a package is `@varve/events` or depends on it. */
function needsZod(name: string): boolean {
  const manifest = packages.find((pkg) => pkg.manifest.name === name)?.manifest;
  return name === '@varve/events' || Object.keys(manifest?.dependencies ?? {}).some((other) => needsZod(other));
}

function acceptsPatches(name: string, range: string): boolean {
  if (range !== 'catalog:') return /^(\^|workspace:\^|catalog:peers$)/.test(range);
  const line = catalog.split('\n').find((entry) => entry.trim().replaceAll("'", '').startsWith(`${name}: `));
  return line?.includes(': ^') === true;
}
