import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeDirectories } from '@varve/storage';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { RequestError } from '../request-error.ts';
import { fetchPackage } from './fetch-package.ts';

const common = { env: { PATH: process.env['PATH'] }, signal: new AbortController().signal };

test('no link of a source leads repo_path outside of it', async () => {
  await using directory = await temporaryDirectory();
  const { at } = directory;
  for (const path of [at('outside/deep'), at('source/inside/deep')]) makeDirectories(path, 0o700);
  for (const path of [at('outside/deep/file'), at('source/inside/deep/file')]) writeFileSync(path, 'text');
  const links = {
    absolute: at('outside'),
    relative: '../outside',
    'inside/up': '../..',
    chain: 'absolute',
    root: '/',
    ok: 'inside',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at('source', name));
  const options = { ...common, workspaceRoot: directory.path };
  const fetched = (repo_path: string) => fetchPackage({ source: 'source', repo_path }, options);
  for (const name of ['absolute', 'relative', 'inside/up', 'chain', 'root', 'ok/up']) {
    for (const tail of ['', '/.', '/deep', '/outside/deep', '/outside']) {
      const error: unknown = await fetched(`${name}${tail}`).catch((failure: unknown) => failure);
      expect(error, name).toBeInstanceOf(RequestError);
    }
  }
  for (const path of ['inside/deep', 'ok/deep', 'ok/deep/.'])
    expect((await fetched(path)).archive.length).toBeGreaterThan(0);
});

test('redirects are followed only to where a package may be fetched from', async () => {
  const targets: Readonly<Record<string, string>> = {
    '/plain.zip': 'http://192.0.2.1/x.zip',
    '/file.zip': 'file:///etc/hostname',
    '/data.zip': 'data:application/zip;base64,UEsDBA==',
    '/ftp.zip': 'ftp://127.0.0.1/x.zip',
    '/broken.zip': 'http://[',
    '/endless.zip': '/endless.zip',
    '/twice.zip': '/once.zip',
    '/once.zip': '/archive.zip',
  };
  const asked: string[] = [];
  const listener = createServer(({ url = '' }, response) => {
    asked.push(url);
    const location = targets[url];
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location });
    response.end('archive');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => listener.close(() => resolve())));
  const { port } = listener.address() as AddressInfo;
  const fetched = (path: string) =>
    fetchPackage({ source: `http://127.0.0.1:${port}${path}` }, { ...common, workspaceRoot: '/' });
  for (const path of ['plain', 'file', 'data', 'ftp', 'broken', 'endless'])
    await expect(fetched(`/${path}.zip`), path).rejects.toMatchObject({ code: 'unsupported' });
  expect(asked.filter((url) => url === '/endless.zip').length).toBeLessThan(10);
  expect((await fetched('/twice.zip')).archive.toString()).toBe('archive');
});
