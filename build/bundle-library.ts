import { join } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { type Manifest, readManifest, writeLicences } from './licences.ts';

/**
 * Bundles the entries of the library in a directory into `dist`, next to the declarations that the compiler writes.
 * What the first entry imports, or several entries do, is one file; what is imported lazily has files of its own. The
 * dependencies stay outside; packages of others that are development dependencies are part of the bundle, with their
 * licences in `licenses.txt`. The code stays readable.
 */
async function bundleLibrary(folder: string): Promise<void> {
  const manifest = readManifest(folder);
  const outside = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
  const entries = entriesOf(manifest, folder);
  const imports = new Map<string, readonly string[]>();
  let shared: ReadonlySet<string> | undefined;
  const bundle = await rolldown({
    cwd: folder,
    input: entries,
    platform: 'node',
    transform: { target: 'node22.13' },
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [importsPlugin(imports)],
    checks: { ineffectiveDynamicImport: false },
  });
  const dir = join(folder, 'dist');
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    chunkFileNames: 'parts/[name]-[hash].js',
    codeSplitting: {
      groups: [{ name: 'shared', test: (file) => (shared ??= sharedModules(entries, imports)).has(file) }],
    },
  });
  await bundle.close();
  writeLicences(dir, output);
}

/** Returns the source of each entry by its path in `dist`, without the extension. */
function entriesOf({ exports = {} }: Manifest, folder: string): Readonly<Record<string, string>> {
  const built = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : [target.default]));
  return Object.fromEntries(
    built.map((path) => {
      const name = path.replace(/^\.\/dist\/|\.js$/g, '');
      return [name, join(folder, 'src', `${name}.ts`)];
    }),
  );
}

/** Collects what each module imports statically. */
function importsPlugin(imports: Map<string, readonly string[]>): Plugin {
  return { name: 'imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) };
}

/** Returns the modules that the first entry imports, or two others that are no test support. */
function sharedModules(
  entries: Readonly<Record<string, string>>,
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const [name, entry] of Object.entries(entries)) {
    if (name.startsWith('testing/')) continue;
    for (const id of reachedFrom(entry, imports)) counts.set(id, (counts.get(id) ?? 0) + (name === 'index' ? 2 : 1));
  }
  return new Set([...counts].flatMap(([id, count]) => (count > 1 ? [id] : [])));
}

function reachedFrom(entry: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const id of reached) for (const imported of imports.get(id) ?? []) reached.add(imported);
  return reached;
}

await bundleLibrary(process.cwd());
