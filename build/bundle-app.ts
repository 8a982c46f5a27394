import { chmodSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown, type Plugin } from 'rolldown';
import { readManifest, writeLicences } from './licences.ts';

/**
 * Bundles the app in a folder into the directory `dir`, and writes `licenses.txt` with the licences of the packages in
 * it. The dependencies and optional dependencies of its package.json stay outside.
 *
 * Each of `parts` is a list of files, separated by commas: they and what they import statically are one file, without
 * what is in an earlier part. All else is one file per lazily imported part. A start opens a file of the bundle in
 * about a millisecond: with parts for what `varve run` loads it opens 14 instead of 98.
 */
async function bundleApp(folder: string, dir: string, parts: readonly string[]): Promise<void> {
  const manifest = readManifest(folder);
  const outside = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  rmSync(dir, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: folder,
    input: Object.values(manifest.bin ?? {}).map((file) => file.replace('./dist/', './src/').replace('.js', '.ts')),
    platform: 'node',
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    resolve: {
      // The bundler adds `import` for imports and `require` for calls of it: some packages have a file for each.
      conditionNames: ['@varve/source', 'node', 'module', 'default'],
      mainFields: ['module', 'main'],
    },
    plugins: [nodeHttpPlugin],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    minify: true,
    // Names of classes and functions appear in errors.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    chunkFileNames: 'parts/[name]-[hash].js',
    codeSplitting: { groups: parts.map((part, index) => groupOf(folder, part, parts.length - index)) },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const entries = new Set(chunks.flatMap(({ fileName, isEntry }) => (isEntry ? [fileName] : [])));
  for (const entry of entries) chmodSync(join(dir, entry), 0o755);
  // An entry ends when the app does: a part that imports it would wait for that.
  const waiting = chunks.filter(({ imports }) => imports.some((file) => entries.has(file)));
  if (waiting.length > 0) throw new Error(`${waiting.map(({ fileName }) => fileName).join(', ')} needs an entry.`);
  writeLicences(dir, output);
}

interface Group {
  readonly name: string;
  readonly test: (file: string) => boolean;
  readonly priority: number;
}

function groupOf(folder: string, part: string, priority: number): Group {
  const files = new Set(part.split(',').map((file) => join(folder, file)));
  return { name: `part-${priority}`, test: (file) => files.has(file), priority };
}

/**
 * Imports `node:http` without all of its properties, one of which loads the `fetch` of Node: 50 ms of processor time.
 */
const nodeHttpPlugin: Plugin = {
  name: 'node-http',
  resolveId: (id, _importer, { kind }) =>
    kind === 'import-statement' && /^(?:node:)?http$/.test(id) ? '\0node-http' : undefined,
  load(id) {
    if (id !== '\0node-http') return undefined;
    const properties = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule('node:http')));
    const names = properties.flatMap(([name, property]) => ('value' in property ? [name] : []));
    return `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: 'dist' } },
});
await bundleApp(process.cwd(), resolve(values.to), positionals);
