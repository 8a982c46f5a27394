import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '@varve/events';
import { presentObservation } from '@varve/events/payloads';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { memory, type MemoryOptions } from './memory.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-memories-'));

/** Returns a function that calls the tool of a new conversation. */
function caller(options: MemoryOptions, workspace = '/project') {
  const tool = memory(options);
  const context = { workspace, signal: new AbortController().signal, idempotencyKey: 'k' };
  return async (command: string, fields: object = {}) =>
    textOf(presentObservation(await tool.execute(tool.parse({ command, ...fields }), context)));
}

test('what one conversation writes, another one reads and changes', async () => {
  const store = await newDirectory();
  const one = caller({ store });
  expect(await one('view')).toBe('The memory is empty.');
  expect(await one('create', { path: '/memories/build.md', file_text: 'Use pnpm.\nNode 22.\n' })).toContain('created');
  const other = caller({ store });
  expect(await other('view')).toContain('19\t/memories/build.md');
  expect(await other('str_replace', { path: '/memories/build.md', old_str: '22', new_str: '24' })).toContain('changed');
  expect(await other('insert', { path: '/memories/build.md', insert_line: 1, insert_text: 'No npm.' })).toContain('ch');
  expect(await one('view', { path: '/memories/build.md' })).toMatch(/1\s+Use pnpm\.\n.*2\s+No npm\.\n.*3\s+Node 24\./s);
  expect(await one('view', { path: '/memories/build.md', view_range: [3, -1] })).not.toContain('npm');
  expect(await one('rename', { old_path: '/memories/build.md', new_path: '/memories/notes/build.md' })).toContain(
    'now',
  );
  expect(await other('rename', { old_path: '/memories/notes', new_path: '/memories/old' })).toContain('now');
  expect(await other('delete', { path: '/memories/old/' })).toContain('deleted');
  expect(await one('view')).toBe('The memory is empty.');
});

test('a memory belongs to a workspace, or to a name that the application chose', async () => {
  const store = await newDirectory();
  await caller({ store }, '/one')('create', { path: '/memories/a', file_text: 'x' });
  expect(await caller({ store }, '/two')('view')).toBe('The memory is empty.');
  await caller({ store, scope: 'ann' }, '/one')('create', { path: '/memories/b', file_text: 'x' });
  expect(await caller({ store, scope: 'ann' }, '/two')('view')).toContain('/memories/b');
  expect(await caller({ store, scope: 'bob' }, '/two')('view')).toBe('The memory is empty.');
});

test('nothing overwrites what another conversation wrote', async () => {
  const call = caller({ store: await newDirectory() });
  await call('create', { path: '/memories/a', file_text: 'one' });
  await call('create', { path: '/memories/d/b', file_text: 'two' });
  for (const path of ['/memories/a', '/memories/a/c', '/memories/d', '/memories', '/memories/d/b/'])
    expect(await call('create', { path, file_text: 'three' }), path).toMatch(/^Error: /);
  for (const new_path of ['/memories/d', '/memories/d/b', '/memories/a/c'])
    expect(await call('rename', { old_path: '/memories/a', new_path }), new_path).toMatch(/^Error: /);
  expect(await call('delete', { path: '/memories' })).toMatch(/^Error: /);
  expect(await call('str_replace', { path: '/memories/a', old_str: 'x', new_str: 'y' })).toMatch(/^Error: /);
  expect(await call('insert', { path: '/memories/a', insert_line: 9, insert_text: 'y' })).toMatch(/^Error: /);
  expect(await call('view', { path: '/memories/none' })).toMatch(/^Error: /);
  expect(await call('view', { path: '/memories/a' })).toContain('one');
});

test('no path and no scope names another file', async () => {
  const store = await newDirectory();
  const call = caller({ store, scope: '../../escaped' });
  const paths = ['/etc/passwd', '/memories/../x', '/memories/./x', '/memories//x', 'memories/x', '/memoriesx', '..'];
  const odd = [
    '/memories/a\\b',
    '/memories/a\nb',
    '/memories/a\u0000',
    '/memories/\u202Eb',
    `/memories/${'a'.repeat(200)}`,
  ];
  for (const path of [...paths, ...odd]) {
    expect(await call('create', { path, file_text: 'x' }), path).toMatch(/^Error: Invalid `path`/);
    expect(await call('view', { path }), path).toMatch(/^Error: Invalid `path`/);
    expect(await call('rename', { old_path: '/memories/a', new_path: path }), path).toMatch(
      /^Error: Invalid `new_path`/,
    );
  }
  await call('create', { path: '/memories/__proto__', file_text: 'x' });
  expect(await call('view', { path: '/memories/__proto__' })).toContain('x');
  expect((await readdir(store)).filter((name) => !/^(?:[0-9a-f]{32}\.json|memories\.lock)$/.test(name))).toEqual([]);
});

test('the limits of files, of a file and of all of them are kept, and shortening works above them', async () => {
  const store = await newDirectory();
  const limits = { maxEntries: 2, maxEntryBytes: 40, maxBytes: 60 };
  const call = caller({ store, ...limits });
  expect(await call('create', { path: '/memories/a', file_text: 'é'.repeat(15) })).toMatch(/the limit of 40 bytes/);
  await call('create', { path: '/memories/a', file_text: 'x'.repeat(25) });
  expect(await call('create', { path: '/memories/b', file_text: 'x'.repeat(25) })).toMatch(/the limit of 60 bytes/);
  await call('create', { path: '/memories/b', file_text: 'x' });
  expect(await call('create', { path: '/memories/c', file_text: '' })).toMatch(/the limit of 2 files/);
  expect(await call('insert', { path: '/memories/a', insert_line: 0, insert_text: 'yyyy' })).toMatch(/40 bytes/);
  const stricter = caller({ store, maxEntries: 1, maxEntryBytes: 5, maxBytes: 5 });
  expect(await stricter('insert', { path: '/memories/b', insert_line: 0, insert_text: 'y' })).toMatch(/^Error: /);
  expect(await stricter('str_replace', { path: '/memories/a', old_str: 'x'.repeat(25), new_str: 'y' })).toContain('ch');
  expect(await stricter('delete', { path: '/memories/b' })).toContain('deleted');
});

test('secrets are masked before they are stored', async () => {
  const store = await newDirectory();
  const call = caller({ store, redactor: redactor(['hunter22'], { replacement: '***' }) });
  await call('create', { path: '/memories/a', file_text: 'The password is hunter22.' });
  const file = (await readdir(store)).find((name) => name.endsWith('.json')) ?? '';
  expect(await readFile(join(store, file), 'utf8')).toMatch(/The password is \*\*\*\./);
});

test('concurrent conversations in several processes lose no write', { timeout: 60_000 }, async () => {
  const store = await newDirectory();
  await caller({ store })('create', { path: '/memories/log', file_text: '' });
  const source = `
    const { memory } = await import(${JSON.stringify(new URL('memory.ts', import.meta.url).href)});
    const tool = memory({ store: ${JSON.stringify(store)} });
    const context = { workspace: '/project', signal: new AbortController().signal, idempotencyKey: 'k' };
    const insert = (insert_text) => ({ command: 'insert', path: '/memories/log', insert_line: 0, insert_text });
    await Promise.all(Array.from({ length: 15 }, (_, n) => tool.execute(insert(process.argv[1] + n), context)));`;
  const flags = ['--conditions=@varve/source', '--input-type=module', '--eval', source];
  await Promise.all(['a', 'b', 'c'].map((name) => promisify(execFile)(process.execPath, [...flags, name])));
  const text = await caller({ store })('view', { path: '/memories/log' });
  const expected = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 15 }, (_, n) => `${name}${n}`));
  expect(text.match(/[abc]\d+/g)?.toSorted()).toEqual(expected.toSorted());
});
