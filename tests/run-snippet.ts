import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './workspace.ts';

/** Directory in which snippets run: this package may import every other. */
const examples = join(root, 'examples');

/** Returns a new directory in which modules can import every package. */
export function snippetDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'varve-snippets-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(examples, name), join(path, name));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Runs a module from the standard input of `node`, with the workspace's packages available. */
export async function runSnippet(
  module: string,
  cwd = examples,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=@varve/source', '--input-type=module-typescript', '-'], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  });
  child.stdin.end(module);
  const ended = new Promise<number>((resolve) => void child.on('close', (status) => resolve(status ?? -1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** What `tsc` knows of the sources since the last run: 9 s of processor time the first time, then 1. */
const tsBuildInfoFile = join(root, 'node_modules/.cache/readme.tsbuildinfo');

/** Returns the output of `tsc` for modules, one file each. */
export function typeErrors(snippets: readonly string[]): string {
  using folder = snippetDirectory();
  try {
    const files = snippets.map((code, index) => {
      writeFileSync(join(folder.path, `${index}.ts`), code);
      return `${index}.ts`;
    });
    const config = {
      extends: join(root, 'tsconfig/base.json'),
      compilerOptions: {
        noEmit: true,
        incremental: true,
        tsBuildInfoFile,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files,
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', folder.path], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}
