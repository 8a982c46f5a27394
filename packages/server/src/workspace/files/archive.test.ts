import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { tarArchive } from './archive.ts';

/** Ways in which files change between the listing of a directory and their reading. */
const changes: readonly (readonly [string, (path: string) => void])[] = [
  ['all files', (path) => rmSync(path, { recursive: true })],
  ['directories', (path) => rmSync(`${path}/sub`, { recursive: true })],
  [
    'every second file',
    (path) => {
      for (let number = 0; number < 40; number += 2) rmSync(`${path}/file${number}`);
    },
  ],
  ['files that become directories', (path) => (rmSync(`${path}/file1`), mkdirSync(`${path}/file1`))],
];

test.for(changes)('an archive whose files disappear ends with an error or without them: %s', async ([, change]) => {
  await using directory = await temporaryDirectory();
  const path = directory.at('tree');
  mkdirSync(`${path}/sub`, { recursive: true });
  // Content that cannot be compressed: the first piece of the archive comes long before the last file is read.
  for (let number = 0; number < 40; number += 1) writeFileSync(`${path}/file${number}`, randomBytes(100_000));
  writeFileSync(`${path}/sub/file`, '');
  const { body } = await tarArchive(path, []);
  const pieces = (body as ReadableStream<Uint8Array>)[Symbol.asyncIterator]();
  await pieces.next();
  change(path);
  const rest = Array.fromAsync({ [Symbol.asyncIterator]: () => pieces });
  const outcome = await rest.catch((error: unknown) => error);
  expect(Array.isArray(outcome) || outcome instanceof Error).toBe(true);
  // Errors after the first one arrive later.
  await new Promise((resolve) => setImmediate(resolve));
});

test('patterns of many stars are compared in time proportional to their length', async () => {
  await using directory = await temporaryDirectory();
  const path = directory.at('tree');
  mkdirSync(path);
  const [kept, excluded] = ['a'.repeat(64), `${'a'.repeat(64)}b`];
  for (const name of [kept, excluded]) writeFileSync(join(path, name), '');
  const { body } = await tarArchive(path, [`${'*a'.repeat(60)}b`, '']);
  const archive = gunzipSync(await new Response(body).bytes());
  expect([archive.includes(kept), archive.includes(excluded)]).toEqual([true, false]);
});
