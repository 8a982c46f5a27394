import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { workspaceServer } from '../../test/support/workspace-server.ts';
import { remoteWorkspace } from './remote-workspace.ts';

const outputs = z.object({ items: z.array(z.looseObject({})), next_page_id: z.string().nullable() });

interface Directory extends AsyncDisposable {
  readonly path: string;
}

async function temporary(): Promise<Directory> {
  const path = await mkdtemp(join(tmpdir(), 'varve-remote-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

interface Listening extends AsyncDisposable {
  readonly url: string;
}

async function listening(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('output on many pages is joined, each piece once', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer({ pieceLength: 1000, pageSize: 3 });
  const workspace = remoteWorkspace({ url: server.url, directory: directory.path, pollMs: 1 });
  const { stdout, stderr } = await workspace.execute('seq 5000; seq 100 >&2');
  expect(stdout).toBe(`${Array.from({ length: 5000 }, (_, index) => index + 1).join('\n')}\n`);
  expect(stderr.split('\n')).toHaveLength(101);
});

/** Adds unrelated events to each response of a search. */
const meddling: typeof globalThis.fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.url.includes('/search')) return response;
  const { items, next_page_id } = outputs.parse(await response.json());
  const foreign = { kind: 'BashOutput', command_id: 'other', order: 0, exit_code: 9, stdout: 'foreign' };
  const command = { ...items[0], kind: 'BashCommand', exit_code: 8 };
  return Response.json({ items: [foreign, command, ...items.toReversed(), ...items], next_page_id });
};

test('events of other commands or kinds, and events out of order or twice, do not change the result', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer({ pieceLength: 10 });
  const workspace = remoteWorkspace({ url: server.url, directory: directory.path, pollMs: 1, fetch: meddling });
  const [result, other] = await Promise.all([workspace.execute('seq 20'), workspace.execute('seq 21 40; exit 2')]);
  expect([result?.exitCode, result?.stdout.split('\n').length, result?.stdout.slice(0, 4)]).toEqual([0, 21, '1\n2\n']);
  expect([other?.exitCode, other?.stdout.split('\n').length, other?.stdout.slice(0, 6)]).toEqual([2, 21, '21\n22\n']);
});

test('a page that links to itself ends the search, and a missing end of the command ends the wait', async () => {
  await using server = await listening((request, response) => {
    const path = request.url ?? '';
    response.setHeader('content-type', 'application/json');
    const part = { kind: 'BashOutput', command_id: 'c', order: 0, stdout: 'part', exit_code: null, stderr: null };
    response.end(JSON.stringify(path.includes('start') ? { id: 'c' } : { items: [part], next_page_id: 'same' }));
  });
  const workspace = remoteWorkspace({ url: server.url, directory: '/', pollMs: 1, patienceMs: -1000 });
  const result = await workspace.execute('true', { timeoutMs: 1000 });
  expect(result).toMatchObject({ exitCode: -1, timedOut: true, stdout: 'part' });
  expect(result.stderr).toContain('not reported');
});

test('outputs without an end that all follow a missing one are refused', async () => {
  let order = 0;
  const stdout = 'x'.repeat(1_000_000);
  await using server = await listening((request, response) => {
    const item = { kind: 'BashOutput', command_id: 'c', order: (order += 1), stdout };
    response.end(JSON.stringify(request.url?.includes('start') ? { id: 'c' } : { items: [item] }));
  });
  const workspace = remoteWorkspace({ url: server.url, directory: '/', pollMs: 1 });
  await expect(workspace.execute('true', { timeoutMs: 600_000 })).rejects.toMatchObject({ code: 'unusable' });
  expect(order).toBeLessThan(30);
});

test('a command ended by a signal returns 128 plus its number', async () => {
  await using server = await listening((request, response) => {
    const end = { kind: 'BashOutput', command_id: 'c', order: 0, exit_code: -9 };
    response.end(JSON.stringify(request.url?.includes('start') ? { id: 'c' } : { items: [end], next_page_id: null }));
  });
  const result = await remoteWorkspace({ url: server.url, directory: '/' }).execute('kill -9 $$');
  expect(result).toEqual({ exitCode: 137, stdout: '', stderr: '', timedOut: false });
});

test('relative paths are sent as absolute ones, because the server rejects others', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer();
  const upload = await fetch(`${server.url}/api/file/upload?path=relative`, { method: 'POST', body: new FormData() });
  expect(upload.status).toBe(400);
  await remoteWorkspace({ url: server.url, directory: directory.path }).write('a b/../c', 'x');
  expect(await readdir(directory.path)).toEqual(['c']);
  expect(() => remoteWorkspace({ url: server.url, directory: 'relative' })).toThrow('is not absolute');
});

test('only a server with a successful response is alive', async () => {
  const answers = [204, 200, 500, 401];
  await using server = await listening((_request, response) => void response.writeHead(answers.shift() ?? 404).end());
  const workspace = remoteWorkspace({ url: server.url, directory: '/' });
  const contents = [];
  for (let index = 0; index < 5; index += 1) contents.push(await workspace.isAlive());
  expect(contents).toEqual([true, true, false, false, false]);
  const gone = await listening(() => undefined);
  await gone[Symbol.asyncDispose]();
  expect(await remoteWorkspace({ url: gone.url, directory: '/' }).isAlive()).toBe(false);
  await using silent = await listening(() => controller.abort());
  const controller = new AbortController();
  const { signal } = controller;
  expect(await remoteWorkspace({ url: silent.url, directory: '/' }).isAlive({ signal })).toBe(false);
});

test('the key is sent to this server with each request, and is in no message', async () => {
  const seen: unknown[] = [];
  await using other = await listening((request, response) => {
    seen.push(request.headers['x-session-api-key']);
    response.end('{}');
  });
  await using server = await listening((request, response) => {
    seen.push(request.headers['x-session-api-key']);
    const isMoved = request.url?.startsWith('/api/git');
    response.writeHead(isMoved ? 307 : 401, { location: `${other.url}/` }).end('{"detail":"Unauthorized"}');
  });
  const workspace = remoteWorkspace({ url: `${server.url}//`, apiKey: 'sk-hidden', directory: '/' });
  const failures = await Promise.allSettled([workspace.changes(), workspace.read('x'), workspace.execute('true')]);
  for (const failure of failures) {
    expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'unusable' } });
    expect(JSON.stringify(failure, ['reason', 'message', 'cause', 'stack'])).not.toContain('sk-hidden');
  }
  expect(seen).toEqual(['sk-hidden', 'sk-hidden', 'sk-hidden']);
});

test('an upload is streamed, and an interrupted download leaves the old file', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer();
  await writeFile(join(directory.path, 'from'), 'x');
  const workspace = remoteWorkspace({ url: server.url, directory: directory.path });
  await workspace.upload(join(directory.path, 'from'), 'to');
  expect(server.headers.at(-1)).toMatchObject({ 'transfer-encoding': 'chunked' });
  await using breaking = await listening((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
  });
  const broken = remoteWorkspace({ url: breaking.url, directory: '/' });
  await expect(broken.download('x', join(directory.path, 'from'))).rejects.toMatchObject({ code: 'unusable' });
  await expect(broken.read('x')).rejects.toMatchObject({ code: 'unusable' });
  expect(await readFile(join(directory.path, 'from'), 'utf8')).toBe('x');
  expect((await readdir(directory.path)).toSorted()).toEqual(['from', 'to']);
});

test('git results of a server are mapped, and an unexpected body is refused', async () => {
  const answers: unknown[] = [
    ['MOVED', 'ADDED', 'DELETED', 'UPDATED', 'NEW'].map((status) => ({ status, path: status })),
    { modified: null, original: 'old' },
    { modified: '', original: '', binary: true },
    'something else',
  ];
  await using server = await listening((_request, response) => void response.end(JSON.stringify(answers.shift())));
  const workspace = remoteWorkspace({ url: server.url, directory: '/' });
  const changes = await workspace.changes();
  expect(changes.map(({ status }) => status)).toEqual(['ADDED', 'ADDED', 'DELETED', 'UPDATED', 'UPDATED']);
  expect(await workspace.diff('x')).toEqual({ modified: '', original: 'old', isBinary: false });
  expect(await workspace.diff('x')).toEqual({ modified: '', original: '', isBinary: true });
  await expect(workspace.changes()).rejects.toMatchObject({ code: 'unusable' });
});

test('a long reason of a server is cut', async () => {
  const detail = 'x'.repeat(100_000);
  await using server = await listening((_request, response) => {
    response.writeHead(500).end(JSON.stringify({ detail }));
  });
  const failed = remoteWorkspace({ url: server.url, directory: '/' }).changes();
  await expect(failed).rejects.toMatchObject({ message: expect.stringMatching(/: x{2000}\.$/) });
});

/** Yields a text for as long as the client reads. */
function* endless(start: string, piece: string): Generator<string> {
  yield start;
  for (const block = piece.repeat(Math.ceil(60_000 / piece.length)); ;) yield block;
}

const page = JSON.stringify([{ kind: 'BashOutput', command_id: 'c', order: 0, stdout: 'x'.repeat(50_000) }]);

test.for<[string, number, () => Iterable<string>]>([
  ['a body without an end', 200, () => endless('{"a":"', 'x')],
  ['a list without an end', 200, () => endless('[', '[],')],
  ['a deep body', 200, () => ['['.repeat(50_000)]],
  ['an error without an end', 500, () => endless('{"detail":"', 'x')],
  ['a redirect', 302, () => endless('', 'x')],
])('%s of a server is an error', { timeout: 20_000 }, async ([, status, body]) => {
  await using server = await listening((_request, response) => {
    response.writeHead(status, { location: '/elsewhere' });
    Readable.from(body()).pipe(response);
  });
  const workspace = remoteWorkspace({ url: server.url, directory: '/' });
  await expect(workspace.changes()).rejects.toMatchObject({ code: 'unusable' });
});

test('pages without an end, and an answer without an end to an upload, are read up to a limit', async () => {
  let pages = 0;
  await using server = await listening((request, response) => {
    const path = request.url ?? '';
    if (path.includes('upload')) Readable.from(endless('', 'x')).pipe(response);
    else response.end(path.includes('start') ? '{"id":"c"}' : `{"items":${page},"next_page_id":"${(pages += 1)}"}`);
  });
  const workspace = remoteWorkspace({ url: server.url, directory: '/', pollMs: 1, patienceMs: -1000 });
  expect(await workspace.execute('true', { timeoutMs: 1000 })).toMatchObject({ exitCode: -1, timedOut: true });
  expect(pages).toBeLessThan(1000);
  await workspace.write('a', 'b');
});

test('worktrees work in a directory reached by a link', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer();
  const link = join(directory.path, 'link');
  await using real = await temporary();
  await symlink(real.path, link);
  const workspace = remoteWorkspace({ url: server.url, directory: link, pollMs: 1 });
  await workspace.execute('git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x');
  const tree = await workspace.addWorktree("it's");
  expect(tree.directory).toBe(join(link, "it's"));
  expect(await tree.list()).toEqual([{ name: '.git', kind: 'file' }]);
  await workspace.removeWorktree("it's");
  expect(await readdir(real.path)).toEqual(['.git']);
});

/** Query parameters of each route in the API description of the reference's server. */
const queryByRoute: Readonly<Record<string, readonly string[]>> = {
  'GET /health': [],
  'POST /api/file/upload': ['path'],
  'GET /api/file/download': ['path'],
  'POST /api/bash/start_bash_command': [],
  'GET /api/bash/bash_events/search': [
    'kind__eq',
    'command_id__eq',
    'timestamp__gte',
    'timestamp__lt',
    'order__gt',
    'sort_order',
    'page_id',
    'limit',
  ],
  'GET /api/git/changes': ['path', 'ref'],
  'GET /api/git/diff': ['path', 'ref', 'commit'],
};

test('each request uses a route of the reference and its query parameters', async () => {
  await using directory = await temporary();
  await using server = await workspaceServer({ pageSize: 1, pieceLength: 10 });
  const workspace = remoteWorkspace({ url: server.url, directory: directory.path, pollMs: 1 });
  await workspace.isAlive();
  await workspace.write('a', '1');
  await workspace.read('a');
  await workspace.execute('git init -q; seq 100');
  await workspace.changes('.', { ref: 'HEAD' });
  await workspace.diff('a', { ref: 'HEAD' });
  for (const request of server.requests) {
    const [method = '', address = ''] = request.split(' ');
    const { pathname, searchParams } = new URL(address, server.url);
    expect(queryByRoute[`${method} ${pathname}`], request).toEqual(expect.arrayContaining([...searchParams.keys()]));
  }
  expect(new Set(server.requests.map((request) => request.replace(/\?.*/, '')))).toEqual(
    new Set(Object.keys(queryByRoute)),
  );
});
