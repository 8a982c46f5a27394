import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { viewHugeText } from '../file-editor/view-huge-text.ts';
import { viewImage } from '../file-editor/view-image.ts';
import { applyChanges } from '../patch/apply-changes.ts';
import type { Target } from './target.ts';
import { readTextFile } from './text-file.ts';
import { replaceAtomically } from './replace-file.ts';

const before = Buffer.from('old\n');
const { signal } = new AbortController();
const huge = { range: [1, 2], maxChars: 1000, redactor: undefined, signal };

/** Everything that reads a file which was a regular one when its path was checked. Each returns true if it read it. */
const readers: Readonly<Record<string, (target: Target) => Promise<boolean>>> = {
  'the text of a file': async (target) => !('refused' in (await readTextFile(target, 1000))),
  'an image': async (target) => !/failed/.test(JSON.stringify(await viewImage(target))),
  'lines of a large file': async (target) => typeof (await viewHugeText(target, huge)) === 'string',
  'an edit': async ({ real, stats }) =>
    replaceAtomically(real, { before, after: Buffer.from('new'), previous: stats, signal }).then(
      (isDone) => isDone,
      () => false,
    ),
  'a patch': async ({ real, stats }) =>
    (await applyChanges([{ real, before, after: Buffer.from('new'), previous: stats }], signal)) === undefined,
  'a removal': async ({ real, stats }) =>
    (await applyChanges([{ real, before, after: undefined, previous: stats }], signal)) === undefined,
};

/** What another program puts in the place of the file. */
const replacements: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  'a link to a file outside': (path) => symlinkSync('/etc/hostname', path),
  'a link to a file with the same text': (path) => {
    writeFileSync(`${path}.same`, before);
    symlinkSync(`${path}.same`, path);
  },
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a link to a terminal': (path) => symlinkSync('/dev/ptmx', path),
  'a directory': (path) => mkdirSync(path),
  nothing: () => undefined,
};

const cases = Object.keys(readers).flatMap((reader) =>
  Object.keys(replacements).map((kind) => [reader, kind] as const),
);

test.for(cases)(
  '%s is refused at once, and nothing is left behind, when the file has become %s',
  async ([reader, kind]) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-replaced-'));
    const path = join(directory.path, 'file');
    await writeFile(path, before);
    const stats = await stat(path);
    await rm(path);
    replacements[kind]?.(path);
    const names = await readdir(directory.path);
    expect(await readers[reader]?.({ path, real: path, stats })).toBe(false);
    expect(await readdir(directory.path)).toEqual(names);
  },
);

/** What another program does to the file while the new content is written to a temporary one. */
const changes: Readonly<Record<string, (path: string) => void>> = {
  'writes other text of the same length': (path) => writeFileSync(path, 'odd\n'),
  'appends a line': (path) => appendFileSync(path, 'more\n'),
  'empties it': (path) => writeFileSync(path, ''),
  'removes it': (path) => rmSync(path),
  'replaces it by a pipe': (path) => {
    rmSync(path);
    execFileSync('mkfifo', [path]);
  },
};

/** Runs `change` in the turn in which the temporary file of a write appears. */
async function whenStaged(directory: string, change: () => void): Promise<void> {
  while (!readdirSync(directory).some((name) => name.startsWith('.varve-'))) await nextTurn();
  change();
}

const edits = Object.keys(changes).flatMap((change) =>
  ['an edit', 'a patch', 'a removal'].map((by) => [by, change] as const),
);

test.for(edits)('%s leaves what another program has made of the file when it %s meanwhile', async ([by, change]) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-changed-'));
  const path = join(directory.path, 'file');
  await writeFile(path, before);
  const after = Buffer.alloc(1_000_000, 'new\n');
  const other = { real: join(directory.path, 'other'), before: undefined, after, previous: undefined };
  const run = {
    'an edit': async () => replaceAtomically(path, { before, after, previous: undefined, signal }),
    'a patch': async () => applyChanges([{ real: path, before, after, previous: undefined }], signal),
    'a removal': async () =>
      applyChanges([{ real: path, before, after: undefined, previous: undefined }, other], signal),
  }[by];
  const [outcome, left] = await Promise.all([
    run?.(),
    whenStaged(directory.path, () => changes[change]?.(path)).then(() => contentOf(path)),
  ]);
  expect(outcome === false || typeof outcome === 'object').toBe(true);
  expect(await contentOf(path)).toBe(left);
  expect(await readdir(directory.path)).toEqual(existsSync(path) ? ['file'] : []);
});

/** Returns the text of a file; undefined for a pipe, and when nothing is there. */
async function contentOf(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? readFile(path, 'utf8') : undefined;
}

test('a view of a file that grows all the time ends, and an abort ends the reading of a large one', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-grows-'));
  const real = join(directory.path, 'file');
  await writeFile(real, 'line\n'.repeat(100_000));
  const controller = new AbortController();
  const target = { path: real, real, stats: await stat(real) };
  // Far more lines than are appended while the file is opened, also on a busy machine.
  const late = { ...huge, range: [10_000_000, -1] };
  const growing = new AbortController();
  const grow = (async () => {
    while (!growing.signal.aborted) {
      appendFileSync(real, 'line\n'.repeat(50_000));
      await nextTurn();
    }
  })();
  const viewed = await viewHugeText(target, late).finally(() => growing.abort());
  await grow;
  expect(viewed).toMatchObject({ refused: expect.stringContaining('within [1, ') });
  const view = viewHugeText(target, { ...late, signal: controller.signal });
  setImmediate(() => controller.abort(new Error('cancelled')));
  await expect(view).rejects.toThrow('cancelled');
});

test('a file of the system that has no size and no end is refused', { timeout: 5000 }, async () => {
  const path = '/proc/self/pagemap';
  const stats = await stat(path).catch(() => undefined);
  expect(await readTextFile({ path, real: path, stats }, 1_000_000)).toMatchObject({
    refused: expect.stringContaining(`Reading ${path} failed`),
  });
});
