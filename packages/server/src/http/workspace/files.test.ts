import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Uint8ArrayReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { Parser } from 'tar';
import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { formats } from '@varve/interop';
import { memoryStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { conversationOf, rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { get, send, testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });
const query = (path: string, rest: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ path, ...rest }).toString();

async function upload(
  serving: ReturnType<typeof server>,
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const fields = new FormData();
  fields.append('file', new Blob([content]), 'name');
  const form = new Response(fields);
  const headers = { 'X-Session-API-Key': testKey, 'content-type': form.headers.get('content-type') ?? '' };
  const body = await form.bytes();
  return serving.request(`/api/file/upload?${query(path)}`, { method: 'POST', body, headers });
}

async function download(serving: ReturnType<typeof server>, path: string): Promise<Response> {
  return get(serving, `/api/file/download?${query(path)}`);
}

test('an uploaded file is downloaded as the same bytes, also with unusual names', async () => {
  await using directory = await temporaryDirectory();
  const serving = started();
  for (const name of ['new/dir/file.txt', 'späce "q" 日本;%.bin', 'a\nb']) {
    const bytes = Buffer.concat([Buffer.from([0, 13, 10, 255]), Buffer.alloc(300_000, name)]);
    const response = await upload(serving, directory.at(name), bytes);
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    const downloaded = await download(serving, directory.at(name));
    expect(downloaded.headers.get('content-length')).toBe(String(bytes.length));
    expect(downloaded.headers.get('content-type')).toBe('application/octet-stream');
    expect(downloaded.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[ -~]+"; filename\*=UTF-8''[!-~]+$/,
    );
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(bytes)).toBe(true);
  }
  await upload(serving, directory.at('empty'), '');
  expect(await (await download(serving, directory.at('empty'))).text()).toBe('');
});

test('an upload keeps the mode of a file and follows a link', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.at('program'), 'old', { mode: 0o755 });
  await symlink('program', directory.at('link'));
  await upload(started(), directory.at('link'), 'new');
  expect(await readFile(directory.at('program'), 'utf8')).toBe('new');
  expect((await stat(directory.at('program'))).mode & 0o777).toBe(0o755);
  expect((await readdir(directory.path)).toSorted()).toEqual(['link', 'program']);
});

test.for<readonly [string, string, number, string]>([
  ['GET', '/api/file/download?path=relative', 400, 'Path must be absolute'],
  ['GET', '/api/file/download?path=/none/none', 404, 'File not found'],
  ['GET', '/api/file/download?path=/tmp', 400, 'Path is not a file'],
  ['GET', '/api/file/download?path=/dev/null', 400, 'Path is not a file'],
  ['GET', '/api/file/download?path=/tmp%00', 400, 'null character'],
  ['POST', '/api/file/create_directory?path=relative', 400, 'Path must be absolute'],
  ['POST', '/api/file/create_directory?path=/dev/null', 400, 'cannot be used'],
  ['POST', '/api/file/create_directory?path=/dev/null/x', 400, 'cannot be used'],
  ['GET', '/api/file/search_subdirs?path=relative', 400, 'Path must be absolute'],
  ['GET', '/api/file/search_subdirs?path=/none', 404, 'Directory not found'],
  ['GET', '/api/file/search_subdirs?path=/dev/null', 400, 'Path is not a directory'],
  ['GET', '/api/file/archive?path=/none', 404, 'Directory not found'],
  ['GET', '/api/file/archive?path=/', 400, 'no working tree'],
  [`GET`, `/api/file/download-trajectory/${'0'.repeat(32)}`, 404, 'Conversation not found'],
])('%s %s is refused with %i', async ([method, path, status, detail]) => {
  const response = await send(started(), method, path);
  expect([response.status, await response.json()]).toEqual([status, { detail: expect.stringContaining(detail) }]);
});

test.for<readonly [string, string | undefined, number]>([
  ['no form', undefined, 422],
  ['another field', '--b\r\nContent-Disposition: form-data; name="other"; filename="x"\r\n\r\nx\r\n--b--\r\n', 422],
  ['a field without a file', '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n', 422],
  ['half a form', '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf', 400],
])('an upload of %s is refused and writes nothing', async ([, body, status]) => {
  await using directory = await temporaryDirectory();
  const headers = { 'X-Session-API-Key': testKey, 'content-type': 'multipart/form-data; boundary=b' };
  const response = await started().request(`/api/file/upload?${query(directory.at('file'))}`, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body }),
  });
  expect(response.status).toBe(status);
  expect(await readdir(directory.path)).toEqual([]);
});

test('an upload whose connection breaks leaves the old file unchanged', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.at('file'), 'old');
  await using listening = await started().listen(0);
  const headers = {
    'X-Session-API-Key': testKey,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': 1_000_000,
  };
  const sending = httpRequest(`${listening.url}/api/file/upload?${query(directory.at('file'))}`, {
    method: 'POST',
    headers,
  });
  sending.on('error', () => {});
  sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n');
  sending.write('x'.repeat(100_000));
  await expect.poll(async () => (await readdir(directory.path)).length, { timeout: 20_000 }).toBe(2);
  sending.destroy();
  await expect.poll(() => readdir(directory.path), { timeout: 20_000 }).toEqual(['file']);
  expect(await readFile(directory.at('file'), 'utf8')).toBe('old');
});

test('with roots, paths and links that lead outside are refused at both ends', async () => {
  await using directory = await temporaryDirectory();
  await mkdir(directory.at('root'));
  await writeFile(directory.at('secret'), 'secret');
  await symlink(directory.path, directory.at('root/out'));
  await symlink(directory.at('created'), directory.at('root/dangling'));
  const serving = started({ fileRoots: [directory.at('root')] });
  for (const path of ['secret', 'root/../secret', 'root/out/secret', 'root2/x', '.']) {
    const place = path === '.' ? directory.path : `${directory.path}/${path}`;
    expect((await download(serving, place)).status, path).toBe(403);
    expect((await upload(serving, place, 'x')).status, path).toBe(403);
    for (const at of ['search_subdirs', 'archive']) {
      expect((await get(serving, `/api/file/${at}?${query(place)}`)).status, path).toBe(403);
    }
    expect((await send(serving, 'POST', `/api/file/create_directory?${query(place)}`)).status, path).toBe(403);
    expect((await get(serving, `/api/git/changes?${query(place)}`)).status, path).toBe(403);
    expect((await get(serving, `/api/git/diff?${query(join(place, 'x'))}`)).status, path).toBe(403);
  }
  expect((await upload(serving, directory.at('root/dangling'), 'x')).status).toBe(403);
  expect((await upload(serving, directory.at('root/sub/file'), 'x')).status).toBe(200);
  expect((await readdir(directory.path)).toSorted()).toEqual(['root', 'secret']);
});

test('a directory is created with those above it, also twice', async () => {
  await using directory = await temporaryDirectory();
  for (let round = 0; round < 2; round += 1) {
    const response = await send(started(), 'POST', `/api/file/create_directory?${query(directory.at('a/b'))}`);
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  }
  expect((await stat(directory.at('a/b'))).isDirectory()).toBe(true);
});

test('the home directory lists its directories without links, hidden ones on request', async () => {
  await using directory = await temporaryDirectory();
  for (const name of ['b', 'A', '.hidden']) await mkdir(directory.at(name));
  await symlink('b', directory.at('link'));
  await writeFile(directory.at('file'), '');
  const serving = started({ env: { HOME: directory.path } });
  expect(await (await get(serving, '/api/file/home')).json()).toEqual({
    home: directory.path,
    favorites: ['A', 'b'].map((label) => ({ label, path: directory.at(label) })),
    locations: [{ label: '/', path: '/' }],
  });
  const all = (await (await get(serving, '/api/file/home?include_hidden=true')).json()) as { favorites: unknown[] };
  expect(all.favorites).toHaveLength(3);
});

test('subdirectories are listed page by page, each once, also when names differ by case only', async () => {
  await using directory = await temporaryDirectory();
  const names = ['a', 'A', 'B', 'c', '.d'];
  for (const name of names) await mkdir(directory.at(name));
  const serving = started();
  const seen: string[] = [];
  const ids: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: string = next === '' ? '' : `&page_id=${next}`;
    const path = `/api/file/search_subdirs?${query(directory.path)}&limit=1&include_hidden=true${page}`;
    const body = (await (await get(serving, path)).json()) as {
      items: { name: string }[];
      next_page_id: string | null;
    };
    seen.push(...body.items.map(({ name }) => name));
    next = body.next_page_id;
    if (next !== null) ids.push(next);
  }
  expect(seen).toEqual(['.d', 'A', 'a', 'B', 'c']);
  expect(ids).toEqual(['A', 'a', 'b', 'c']);
});

const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [`project/${name}`, name]));

test('an archive contains regular files, without links, excluded names and credentials', async () => {
  await using directory = await temporaryDirectory();
  const files = ['a.txt', 'sub/b.bin', '@c', 'node_modules/x.js', 'sub/dist/y', 'z.tmp', '.git/config', '.git/HEAD'];
  for (const name of [...files, '.git/logs/HEAD', '.git/modules/m/config', '.git-credentials']) {
    await mkdir(join(directory.at('project', name), '..'), { recursive: true });
    await writeFile(directory.at('project', name), name);
  }
  await symlink('/etc/passwd', directory.at('project/link'));
  await symlink('/etc', directory.at('project/etc'));
  const archive = async (more: string) => {
    const path = `/api/file/archive?${query(directory.at('project'))}&format=tar.gz&exclude=*.tmp${more}`;
    const response = await get(started(), path);
    expect(response.headers.get('content-disposition')).toContain('project.tar.gz');
    const contents: Record<string, string> = {};
    const parser = new Parser({
      onReadEntry(entry) {
        entry.on('data', (data: Buffer) => (contents[entry.path.replace('/./', '/')] = data.toString()));
        entry.resume();
      },
    });
    const ended = new Promise((resolve) => parser.on('end', resolve));
    parser.end(Buffer.from(await response.arrayBuffer()));
    await ended;
    return contents;
  };
  expect(await archive('')).toEqual(named(['a.txt', 'sub/b.bin', '@c', '.git/HEAD']));
  expect(Object.keys(await archive('&use_default_excludes=false'))).toHaveLength(6);
});

test('a conversation is downloaded as a directory that can be read again, without secrets', async () => {
  const store = memoryStore();
  const message = eventFactory().user('Hello');
  const id = await conversationOf(store, {
    events: [message],
    meta: { title: 'A title', workspace: '/w', agent: { kind: 'Agent', llm: { model: 'm', api_key: 'sk-secret' } } },
  });
  const response = await get(started({ store }), `/api/file/download-trajectory/${id}`);
  expect(response.headers.get('content-disposition')).toContain(`filename="${id}.zip"`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const texts = new Map<string, string>();
  for await (const entry of new ZipReader(new Uint8ArrayReader(bytes)).getEntriesGenerator()) {
    if (!entry.directory) texts.set(entry.filename, await entry.getData(new TextWriter()));
  }
  expect([...texts.keys()]).toEqual([
    `${id}/meta.json`,
    `${id}/base_state.json`,
    `${id}/events/event-00000-${message.id}.json`,
  ]);
  expect([...texts.values()].join('')).not.toContain('sk-secret');
  const paths = [...texts.keys()].map((path) => path.slice(id.length + 1));
  const text = async (path: string) => texts.get(`${id}/${path}`) ?? '';
  const [log] =
    (await formats
      .find(({ name }) => name === 'v1-directory')
      ?.read?.({ name: id, paths, text, start: text }, { newId: () => '' })) ?? [];
  expect(log).toMatchObject({
    id,
    title: 'A title',
    entries: rowsOf([message]).map(({ text: stored }) => ({ text: stored })),
  });
});

test('a conversation that lost events, or whose import did not end, is not downloaded as a whole', async () => {
  await using directory = await temporaryDirectory();
  const store = await directoryStore({ path: directory.path, durability: 'buffered' });
  const { user } = eventFactory();
  const events = ['one', 'two', 'three'].map((text) => user(text));
  for (const [number, meta] of [{}, {}, { importing: true }].entries()) {
    await conversationOf(store, { id: testId(number), events, meta });
  }
  const damaged = async (number: number): Promise<string> => {
    const names = await readdir(directory.at(testId(number), 'events'));
    return directory.at(testId(number), 'events', names.find((name) => name.startsWith('event-00001')) ?? '');
  };
  await rm(await damaged(0));
  await writeFile(await damaged(1), '{');
  const serving = started({ store });
  const statuses = [0, 2].map(async (number) => {
    const response = await get(serving, `/api/file/download-trajectory/${testId(number)}`);
    return [response.status, await response.json()];
  });
  expect(await Promise.all(statuses)).toEqual([
    [409, { detail: expect.stringContaining('Event 1') }],
    [409, { detail: `The import of conversation ${testId(2)} did not end.` }],
  ]);
  // That an event cannot be read is found by reading it.
  const response = await get(serving, `/api/file/download-trajectory/${testId(1)}`);
  await expect(response.arrayBuffer()).rejects.toThrow('Event 1 of');
});
