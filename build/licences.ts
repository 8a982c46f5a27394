import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RolldownOutput } from 'rolldown';

/** Fields of a package.json that a bundle needs. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Reads the package.json of a directory. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Writes `licenses.txt` with the names, versions and licences of the packages of others that a bundle contains. */
export function writeLicences(dir: string, output: RolldownOutput['output']): void {
  const files = output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  const packages = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  if (packages.size === 0) return;
  const texts = new Set([...packages].map((path) => licenceOf(path)));
  writeFileSync(join(dir, 'licenses.txt'), [...texts].toSorted().join(`\n${'-'.repeat(80)}\n\n`));
}

function licenceOf(folder: string): string {
  const { name, version, license = 'unknown' } = readManifest(folder);
  const [file] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder });
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
