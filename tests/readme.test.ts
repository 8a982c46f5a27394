import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readmeSnippet } from './readme-snippet.ts';
import { relativeLinks } from './relative-links.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText, root, workspacePackages } from './workspace.ts';

const libraries = workspacePackages().filter((pkg) => pkg.folder.startsWith('packages/') && !pkg.manifest.private);
const readmes = libraries.map(({ folder }) => `${folder}/README.md`);
const written = readmes.filter((file) => existsSync(join(root, file)));
const documents = trackedFiles().filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));

/** Directory in which snippets run: this package may import every other. */
const examples = join(root, 'examples');

test('every library has a README', () => {
  expect(readmes.filter((file) => !written.includes(file))).toEqual([]);
});

test.for(written)('%s has at most 10,000 characters, and lines of at most 140 outside tables', (file) => {
  const lines = readText(file).split('\n');
  expect(readText(file).length).toBeLessThanOrEqual(10_000);
  expect(lines.filter((line) => line.length > 140 && !line.startsWith('|'))).toEqual([]);
});

test.for(written)('the first snippet of %s runs and prints', async (file) => {
  const { code, stdout, stderr } = await runSnippet(readmeSnippet(readText(file)) ?? '');
  expect(code, stderr).toBe(0);
  expect(stdout).not.toBe('');
});

test('the first snippets of all READMEs type-check', () => {
  expect(typeErrors(written.map((file) => readmeSnippet(readText(file)) ?? ''))).toBe('');
});

test.for(documents)('%s links to files that exist', (file) => {
  const missing = relativeLinks(readText(file)).filter((link) => !existsSync(join(root, dirname(file), link)));
  expect(missing).toEqual([]);
});

/** Runs a module from the standard input of `node`, with the workspace's packages available. */
async function runSnippet(module: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--conditions=@varve/source', '--input-type=module-typescript', '-'], {
    cwd: examples,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  });
  child.stdin.end(module);
  const ended = new Promise<number>((resolve) => void child.on('close', (status) => resolve(status ?? -1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** What `tsc` knows of the sources since the last run: 9 s of processor time the first time, then 1. */
const tsBuildInfoFile = join(root, 'node_modules/.cache/readme.tsbuildinfo');

/** Returns the output of `tsc` for modules, one file each, in a directory that git and editors ignore. */
function typeErrors(snippets: readonly string[]): string {
  mkdirSync(join(examples, 'node_modules'), { recursive: true });
  const folder = mkdtempSync(join(examples, 'node_modules/.readme-'));
  try {
    const files = snippets.map((code, index) => {
      writeFileSync(join(folder, `${index}.ts`), code);
      return `${index}.ts`;
    });
    const config = {
      extends: '../../../tsconfig/base.json',
      compilerOptions: { noEmit: true, incremental: true, tsBuildInfoFile },
      files,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
