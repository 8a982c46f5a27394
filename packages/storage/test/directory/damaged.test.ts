import { execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, memoryStore, ed25519Signer, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { applyRetention, copyLog, exportBundle, planRetention, scrub } from '@varve/storage/maintenance';
import { describe, expect, test } from 'vitest';
import { eventName } from '../../src/directory/layout/event-file.ts';
import { agentEvent } from '../agent-event.ts';

const length = 6;
const secret = 'sk-0123456789';
const signer = ed25519Signer(new Uint8Array(32).fill(1));

/** A closed log of six events, the fifth of which contains a secret. */
async function closedLog() {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const open = async (): Promise<EventStore> => directoryStore({ path: root.path, durability: 'buffered' });
  await using store = await open();
  await using log = await store.create('c', {});
  const events = Array.from({ length }, (_, n) => agentEvent(n));
  await log.append(events.map((event, n) => (n === 4 ? { ...event, text: withSecret(event.text) } : event)));
  const event = (n: number): string => join(root.path, 'c', 'events', eventName({ seq: n, slug: agentEvent(n).id }));
  return { path: join(root.path, 'c'), event, open, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

const withSecret = (text: string): string => JSON.stringify({ ...JSON.parse(text), note: secret });

type Files = Awaited<ReturnType<typeof closedLog>>;

/** Removes everything that only varve writes, as in a log of another program. */
const withoutProof = async ({ path }: Files): Promise<void> => rm(join(path, '.varve'), { recursive: true });

const damages: readonly (readonly [string, number, (files: Files) => Promise<void>])[] = [
  ['the first event is missing', 0, async ({ event }) => rm(event(0))],
  ['an event is missing', 2, async ({ event }) => rm(event(2))],
  ['the last event is missing', 5, async ({ event }) => rm(event(5))],
  ['the last event is unreadable', 5, async ({ event }) => writeFile(event(5), '')],
  [
    'an event of another program is missing',
    3,
    async (files) => {
      await withoutProof(files);
      await rm(files.event(3));
    },
  ],
  [
    'an event of another program is unreadable',
    2,
    async (files) => {
      await withoutProof(files);
      await writeFile(files.event(2), '{"id":');
    },
  ],
  [
    'the last event is a pipe',
    5,
    async ({ event }) => {
      await rm(event(5));
      execFileSync('mkfifo', [event(5)]);
    },
  ],
  [
    'the last event is a directory',
    5,
    async ({ event }) => {
      await rm(event(5));
      await mkdir(event(5));
    },
  ],
  ['an event is stored twice', 3, async ({ event }) => writeFile(event(3).replace(/-[^-]*$/, '-0.json'), '{}')],
];

describe.for(damages)('if %s', ([, seq, damage]) => {
  test('verification fails, also without seals', async () => {
    await using files = await closedLog();
    await damage(files);
    await using store = await files.open();
    const { broken } = await verify(await store.read('c'));
    expect(broken).toMatchObject({ reason: expect.stringMatching(/^(?:lost|altered)$/), seq });
  });

  test('the log is neither copied nor exported', async () => {
    await using files = await closedLog();
    await damage(files);
    await using store = await files.open();
    await using target = memoryStore();
    await expect(copyLog(await store.read('c'), target)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:incomplete|corrupt)$/),
      message: expect.stringMatching(new RegExp(`\\b${seq}\\b|sealed events are missing`)),
    });
    expect((await target.list()).items).toEqual([]);
    const exporting = Array.fromAsync(exportBundle(await store.read('c'), await store.summary('c')));
    await expect(exporting).rejects.toMatchObject({ code: 'incomplete', message: expect.stringMatching(`${seq}\\b`) });
  });

  test('a scrub reports that the log may still contain a secret', async () => {
    await using files = await closedLog();
    await damage(files);
    await using store = await files.open();
    const { failed } = await scrub(store, { secrets: [secret], signer });
    expect(failed).toMatchObject([{ id: 'c', code: 'incomplete' }]);
  });

  test('retention removes the log like any other', async () => {
    await using files = await closedLog();
    await damage(files);
    await using store = await files.open();
    await using log = await store.create('d', {});
    const plan = await planRetention(store, { maxCount: 1 });
    expect(await applyRetention(store, plan)).toEqual({ removed: ['c'], skipped: [] });
    expect(await log.head()).toBe(0);
  });
});

test('a scrub reaches events that a crash left outside of the log', async () => {
  await using files = await closedLog();
  const released = (await readdir(join(files.path, '.varve'), { recursive: true })).filter((name) =>
    name.endsWith('released'),
  );
  for (const name of released) await writeFile(join(files.path, '.varve', name), '');
  await writeFile(files.event(8), withSecret(agentEvent(8).text));
  await writeFile(files.event(4), agentEvent(4).text);
  await using store = await files.open();
  const { quarantined } = await scrub(store, { secrets: [secret], signer });
  expect(quarantined).toBe(1);
  const entries = await readdir(files.path, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(paths.map(async (path) => readFile(path, 'utf8')));
  expect(texts.filter((text) => text.includes(secret))).toEqual([]);
});
