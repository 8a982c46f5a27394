import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf } from './imports-of.ts';
import { readText, sourcesOf, subpathsOf, workspacePackages, type WorkspacePackage } from './workspace.ts';

const packages = workspacePackages();

/** Layers, the lowest first: a package may depend on the rows before its own. A new package is added here. */
const layers = [
  ['@varve/events', '@varve/files', '@varve/sandbox', '@varve/text'],
  ['@varve/llm', '@varve/storage', '@varve/tools', '@varve/interop'],
  ['@varve/condensers', '@varve/skills', '@varve/storage-postgres'],
  ['@varve/agent'],
  ['@varve/settings', '@varve/host'],
  ['@varve/server', '@varve/ai-sdk'],
  ['@varve/agent-server', '@varve/cli', '@varve/compat'],
  ['@varve/bench', '@varve/examples'],
];

/** Packages without files, clocks and network. Their contract suites may assert. */
const pure = packages.filter(({ manifest }) =>
  ['@varve/events', '@varve/text', '@varve/condensers'].includes(manifest.name),
);

const specifiers = new Set(
  packages.flatMap((pkg) => [
    ...subpathsOf(pkg).map(({ specifier }) => specifier),
    `${pkg.manifest.name}/package.json`,
  ]),
);

describe.for(packages.map((pkg) => [pkg.manifest.name, pkg] as const))('%s', ([name, pkg]) => {
  test('has a layer', () => {
    expect(layers.flat()).toContain(name);
  });

  test('depends on lower layers only', () => {
    const upward = workspaceDependencies(pkg, 'all').filter((other) => layerOf(other) >= layerOf(name));
    expect(upward).toEqual([]);
  });

  test('imports workspace packages it declares, by an exported path', () => {
    expect(sourcesOf(pkg).flatMap((file) => undeclaredImports(pkg, file))).toEqual([]);
  });
});

test.for(packages.map((pkg) => [pkg.manifest.name, pkg] as const))(
  'no folders of %s import each other in a circle',
  ([, pkg]) => {
    const arrows = folderArrows(pkg);
    const reachable = (folder: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const next of arrows.get(folder) ?? []) if (!seen.has(next)) reachable(next, seen.add(next));
      return seen;
    };
    expect([...arrows.keys()].filter((folder) => reachable(folder).has(folder))).toEqual([]);
  },
);

test.for(pure.map((pkg) => [pkg.manifest.name, pkg] as const))('%s imports nothing of Node', ([, pkg]) => {
  const sources = sourcesOf(pkg).filter((file) => !isTest(file));
  expect(sources.flatMap((file) => nodeImports(file))).toEqual([]);
});

/** Returns which folders of a package each of them imports, without tests. */
test('no face of the command imports another one', () => {
  const faces = ['print', 'screen', 'editor', 'tasks'];
  const imports = faces.flatMap((face) =>
    packages
      .flatMap(sourcesOf)
      .filter((file) => file.startsWith(`apps/cli/src/${face}/`) && !isTest(file))
      .flatMap((file) => importsOf(readText(file)).map((specifier) => ({ file, specifier })))
      .filter(({ specifier }) => faces.some((other) => other !== face && specifier.includes(`../${other}/`))),
  );
  expect(imports).toEqual([]);
});

function folderArrows(pkg: WorkspacePackage): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const file of sourcesOf(pkg).filter((source) => !isTest(source))) {
    const from = folderOf(file);
    if (from === undefined) continue;
    const imported = importsOf(readText(file)).filter((specifier) => specifier.startsWith('.'));
    for (const specifier of imported) {
      const to = folderOf(join(dirname(file), specifier));
      if (to !== undefined && to !== from) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  return arrows;
}

/** Returns the folder of a package in which a file is; undefined for its first level. */
function folderOf(path: string): string | undefined {
  return /\/src\/([^/]+)\//.exec(path)?.[1];
}

/** Returns the layer of a package; one without a layer is above all others, so that nothing may depend on it. */
function layerOf(name: string): number {
  const index = layers.findIndex((layer) => layer.includes(name));
  return index === -1 ? layers.length : index;
}

function isBundled({ manifest }: WorkspacePackage): boolean {
  return manifest.bin !== undefined && Object.keys(manifest.dependencies ?? {}).length === 0;
}

function workspaceDependencies({ manifest }: WorkspacePackage, kind: 'runtime' | 'all'): readonly string[] {
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
    ...(kind === 'all' && manifest.devDependencies),
  }).filter((name) => name.startsWith('@varve/'));
}

function undeclaredImports(pkg: WorkspacePackage, file: string): readonly string[] {
  // A test may use its own package as its users do. The published app contains the packages that it uses.
  const declared = isTest(file)
    ? [...workspaceDependencies(pkg, 'all'), pkg.manifest.name]
    : workspaceDependencies(pkg, isBundled(pkg) ? 'all' : 'runtime');
  return importsOf(readText(file))
    .filter((specifier) => specifier.startsWith('@varve/'))
    .filter((specifier) => !declared.includes(packageOf(specifier)) || !specifiers.has(specifier))
    .map((specifier) => `${file} imports ${specifier}`);
}

function nodeImports(file: string): readonly string[] {
  return importsOf(readText(file))
    .filter((specifier) => specifier.startsWith('node:') || builtinModules.includes(specifier))
    .filter((specifier) => !(file.includes('/src/testing/') && specifier === 'node:assert/strict'))
    .map((specifier) => `${file} imports ${specifier}`);
}

function packageOf(specifier: string): string {
  return specifier.split('/').slice(0, 2).join('/');
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/test/');
}
