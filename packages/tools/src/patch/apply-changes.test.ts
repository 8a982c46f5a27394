import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/support/write-files.ts';
import { applyChanges, type PlannedChange } from './apply-changes.ts';

const { signal } = new AbortController();

test('changes made before a failed change are reverted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-changes-'));
  await writeFiles(directory, { a: '1', b: '1' });
  const previous = undefined;
  const before = Buffer.from('1');
  const refused = await applyChanges(
    [
      { real: join(directory, 'a'), before, after: Buffer.from('2'), previous },
      { real: join(directory, 'b'), before, after: undefined, previous },
      { real: join(directory, 'c/d'), before: undefined, after: Buffer.from('2'), previous },
      // Only the rename can fail: the name of the temporary file is short.
      { real: join(directory, 'x'.repeat(300)), before: undefined, after: Buffer.from('2'), previous },
    ],
    signal,
  );
  expect(refused?.refused).toMatch(/^Nothing was changed: applying the patch failed: ENAMETOOLONG/);
  expect(await readdir(directory, { recursive: true })).toEqual(['a', 'b']);
  expect(await Promise.all(['a', 'b'].map((name) => readFile(join(directory, name), 'utf8')))).toEqual(['1', '1']);
  await rm(directory, { recursive: true });
});

type Kind = 'create' | 'update' | 'remove';

const planned = (real: string, kind: Kind): PlannedChange => ({
  real,
  before: kind === 'create' ? undefined : Buffer.from('old'),
  after: kind === 'remove' ? undefined : Buffer.from('new'),
  previous: undefined,
});

/** Reads a file that may be removed at any moment. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const kinds = ['create', 'update', 'remove'] as const;

test.for(
  kinds.flatMap((first) => kinds.flatMap((last) => [[first, last, false] as const, [first, last, true] as const])),
)(
  'what another program writes after the first of several changes is kept: %s, %s, in both files: %s',
  async ([first, last, inBoth]) => {
    const directory = await mkdtemp(join(tmpdir(), 'varve-changes-'));
    const changes = [
      planned(join(directory, 'first'), first),
      ...Array.from({ length: 8 }, (_, at) => planned(join(directory, `file${at}`), kinds[at % 3] ?? 'update')),
      planned(join(directory, 'last'), last),
    ];
    for (const { real, before } of changes) if (before !== undefined) writeFileSync(real, before);
    const firstPath = join(directory, 'first');
    const changed = first === 'remove' ? undefined : 'new';
    const applied = applyChanges(changes, signal);
    while (contentOf(firstPath) !== changed) await setImmediate();
    if (inBoth) writeFileSync(firstPath, 'foreign');
    writeFileSync(join(directory, 'last'), 'foreign');
    const refused = await applied;
    const put = inBoth ? `These files could not be put back as they were: ${firstPath}.` : 'Nothing was changed';
    expect(refused?.refused).toContain(put);
    const expected = changes.map(({ before }) => before?.toString());
    expect(changes.map(({ real }) => contentOf(real))).toEqual([
      inBoth ? 'foreign' : expected[0],
      ...expected.slice(1, -1),
      'foreign',
    ]);
    expect(await readdir(directory)).toHaveLength(changes.filter(({ real }) => existsSync(real)).length);
    await rm(directory, { recursive: true });
  },
);
