import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

/** Fields of a package.json that the bundle needs. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** CommonJS modules of the bundle call `require`, for modules of Node and for the dependencies outside of it. */
const banner = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/**
 * Bundles the app in the current directory into `dist`: one file per lazily imported part, and `licenses.txt` with the
 * licences of the packages in it. The dependencies and optional dependencies of its package.json stay outside.
 */
async function bundleApp(folder: string): Promise<void> {
  const manifest = readManifest(folder);
  const outdir = join(folder, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: Object.values(manifest.bin ?? {}).map((file) => file.replace('./dist/', 'src/').replace('.js', '.ts')),
    outdir,
    outbase: join(folder, 'src'),
    bundle: true,
    splitting: true,
    minify: true,
    // Names of classes and functions appear in errors.
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['@varve/source'],
    mainFields: ['module', 'main'],
    external: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
    banner: { js: banner },
    chunkNames: 'parts/[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  writeFileSync(join(outdir, 'licenses.txt'), licencesOf(metafile, folder));
}

/** Returns the names, versions and licence texts of the packages of others in a bundle. */
function licencesOf({ inputs }: Metafile, folder: string): string {
  const packages = new Set(
    Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  const texts = [...packages].map((path) => licenceOf(join(folder, path)));
  return [...new Set(texts)].toSorted().join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder: string): string {
  const { name, version, license = 'unknown' } = readManifest(folder);
  const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder });
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

await bundleApp(process.cwd());
