import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { indexNames } from '../index-names.ts';
import { readText, root, subpathsOf, type Subpath } from '../workspace.ts';
import type { Packed } from './packed.ts';
import { run } from './run.ts';

/**
 * Installs tarballs together into an empty npm project, as a user would: from the registry, without install scripts,
 * with the optional peers that some of their entry points need.
 *
 * @param versions version of a peer to install instead of the newest in its range.
 * @throws {Error} if npm fails.
 */
export async function installAll(
  packed: readonly Packed[],
  folder: string,
  versions: Readonly<Record<string, string>> = {},
): Promise<void> {
  const tarballs = Object.fromEntries(packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  // npm installs the required peers itself.
  const peers = Object.fromEntries(
    packed.flatMap(({ manifest }) =>
      Object.entries(manifest.peerDependencies ?? {}).filter(([name]) => name !== 'zod'),
    ),
  );
  const nodeTypes = versionOf('@types/node');
  const dependencies = { ...peers, ...versions, ...tarballs };
  const manifest = { private: true, type: 'module', dependencies, devDependencies: { '@types/node': nodeTypes } };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}

/** Imports one entry point and compares its values with its index. @throws {Error} if it does not load. */
export async function importOnce(node: string, { specifier, source }: Subpath, folder: string): Promise<void> {
  const code = `console.log(JSON.stringify(Object.keys(await import('${specifier}'))));`;
  const printed = await run(node, ['--no-warnings', '--input-type=module', '--eval', code], folder);
  const values = indexNames(readText(source)).filter(({ isType }) => !isType);
  assert.deepEqual(JSON.parse(printed), values.map(({ name }) => name).toSorted());
}

/** Type-checks a module that imports every entry, declarations included. @throws {Error} with the output of tsc. */
export async function typeCheck(packed: readonly Packed[], folder: string): Promise<void> {
  // The declarations of `ai` need those of a browser and of other packages.
  const own = packed.filter(({ manifest }) => manifest.name !== '@varve/ai-sdk');
  const specifiers = own.flatMap(subpathsOf).map(({ specifier }) => specifier);
  const imports = specifiers.map((specifier, index) => `import * as all${index} from '${specifier}';`);
  const use = `export const everything = [${specifiers.map((_, index) => `all${index}`).join(', ')}];`;
  await writeFile(join(folder, 'consumer.ts'), [...imports, use, ''].join('\n'));
  await typeCheckFile('consumer.ts', folder);
}

/** Type-checks one file of a project, the declarations of packages included. @throws {Error} with the output of tsc. */
export async function typeCheckFile(file: string, folder: string): Promise<void> {
  const compilerOptions = { module: 'nodenext', target: 'es2024', lib: ['esnext'], types: ['node'], strict: true };
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: false, noEmit: true }, files: [file] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder);
}

/** The version of a tool that the workspace has installed. */
function versionOf(name: string): string {
  const { version } = JSON.parse(readText(`node_modules/${name}/package.json`)) as { version: string };
  return version;
}
