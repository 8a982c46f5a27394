import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fields of a package.json that the repository's tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly author?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node: string };
}

/** One package of the workspace. */
export interface WorkspacePackage {
  /** Relative to the root, with forward slashes: `packages/events`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** An entry point of a package that holds code. */
export interface Subpath {
  /** Import specifier: `@varve/events/facts`. */
  readonly specifier: string;
  /** The source file, relative to the root; it need not exist. */
  readonly source: string;
  /** The built file, relative to the package. */
  readonly built: string;
}

/** The folder that holds the workspace. */
export const root = join(import.meta.dirname, '..');

/** Every package of the workspace, by folder. */
export function workspacePackages(): readonly WorkspacePackage[] {
  return globSync(['packages/*/package.json', 'apps/*/package.json', 'examples/package.json'], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => ({ folder: file.slice(0, -'/package.json'.length), manifest: readManifest(file) }));
}

/** The entry points of a package, in the order of its `exports`; without `./package.json`. */
export function subpathsOf({ folder, manifest }: WorkspacePackage): readonly Subpath[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const specifier = manifest.name + path.slice(1);
    return [{ specifier, source: join(folder, target['@varve/source'] ?? ''), built: target['default'] ?? '' }];
  });
}

/** The TypeScript files of a package, relative to the root. */
export function sourcesOf({ folder }: WorkspacePackage): readonly string[] {
  const patterns = existsSync(join(root, folder, 'src')) ? ['src/**/*.ts', 'test/**/*.ts'] : ['*.ts'];
  return globSync(patterns, { cwd: join(root, folder) })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .toSorted();
}

/** The text of a file, given relative to the root. */
export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Parses a package.json without validating its fields. */
function readManifest(file: string): Manifest {
  return JSON.parse(readText(file)) as Manifest;
}
