import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, readmeSnippet } from './readme-snippet.ts';
import { relativeLinks } from './relative-links.ts';
import { runSnippet, snippetDirectory, typeErrors } from './run-snippet.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText, root, workspacePackages } from './workspace.ts';

const libraries = workspacePackages().filter((pkg) => pkg.folder.startsWith('packages/') && !pkg.manifest.private);
const readmes = libraries.map(({ folder }) => `${folder}/README.md`);
const written = readmes.filter((file) => existsSync(join(root, file)));
const documents = trackedFiles().filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));

test('every library has a README', () => {
  expect(readmes.filter((file) => !written.includes(file))).toEqual([]);
});

test.for(written)('%s has at most 10,000 characters, and lines of at most 140 outside tables', (file) => {
  const lines = readText(file).split('\n');
  expect(readText(file).length).toBeLessThanOrEqual(10_000);
  expect(lines.filter((line) => line.length > 140 && !line.startsWith('|'))).toEqual([]);
});

describe('the first snippets', () => {
  let outputs: readonly string[];
  beforeAll(async () => {
    using directory = snippetDirectory();
    for (const [n, file] of written.entries())
      writeFileSync(join(directory.path, `${n}.ts`), readmeSnippet(readText(file)) ?? '');
    // In one process, which ends by itself: separate ones would load the same modules for most of their time.
    const each = written.map((_, n) => `process.stdout.write('\\x1e'); await import('./${n}.ts');`);
    const { code, stdout, stderr } = await runSnippet(each.join('\n'), directory.path);
    if (code !== 0) throw new Error(stderr);
    outputs = stdout.split('\x1e').slice(1);
  });

  test.for(written)('that of %s runs and prints', (file) => {
    expect(outputs[written.indexOf(file)]?.trim()).toBeTruthy();
  });
});

test('the first snippets of all READMEs, and the programs of all guides, type-check', { timeout: 600_000 }, () => {
  const guides = documents.filter((file) => file.startsWith('docs/guide/'));
  const programs = guides.map((file) => blocksOf(readText(file), 'ts').join('\n')).filter(Boolean);
  expect(typeErrors([...written.map((file) => readmeSnippet(readText(file)) ?? ''), ...programs])).toBe('');
});

test.for(documents)('%s links to files that exist', (file) => {
  const missing = relativeLinks(readText(file)).filter((link) => !existsSync(join(root, dirname(file), link)));
  expect(missing).toEqual([]);
});
