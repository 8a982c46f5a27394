import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeDirectories } from '@varve/files';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { RequestError } from '../error.ts';
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

/** Starts a server and returns its origin. */
async function serve(handler: RequestListener): Promise<string> {
  const listener = createServer(handler);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => listener.close(() => resolve())));
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

/** Starts a server that redirects to what `targetOf` returns, or sends an archive, and returns its origin. */
async function listen(targetOf: (request: IncomingMessage) => string | undefined): Promise<string> {
  return serve((request, response) => {
    const location = targetOf(request);
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location });
    response.end('archive');
  });
}

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
  const origin = await listen(({ url = '' }) => {
    asked.push(url);
    return targets[url];
  });
  const fetched = (path: string) => fetchPackage({ source: `${origin}${path}` }, { ...common, workspaceRoot: '/' });
  for (const path of ['plain', 'file', 'data', 'ftp', 'broken', 'endless'])
    await expect(fetched(`/${path}.zip`), path).rejects.toMatchObject({ code: 'unsupported' });
  expect(asked.filter((url) => url === '/endless.zip').length).toBeLessThan(10);
  expect((await fetched('/twice.zip')).archive.toString()).toBe('archive');
});

test('the password of an address is sent to its server only', async () => {
  const received: (readonly [string, string | undefined])[] = [];
  const other = await listen(({ url = '', headers }) => {
    received.push([`other ${url}`, headers.authorization]);
    return undefined;
  });
  const origin = await listen(({ url = '', headers }) => {
    received.push([url, headers.authorization]);
    return { '/a.zip': '/b.zip', '/b.zip': `${other}/c.zip` }[url];
  });
  const authorization = `Basic ${btoa('me:p@ss/word')}`;
  const source = `${origin}/a.zip`.replace('//', '//me:p%40ss%2Fword@');
  expect((await fetchPackage({ source }, { ...common, workspaceRoot: '/' })).archive.toString()).toBe('archive');
  expect(received).toEqual([
    ['/a.zip', authorization],
    ['/b.zip', authorization],
    ['other /c.zip', undefined],
  ]);
});

test.for([undefined, 'main'])('the password of a repository is no argument of git, with the ref %s', async (ref) => {
  await using directory = await temporaryDirectory();
  const log = directory.at('log');
  const program = `#!/bin/sh\nprintf '%s\\n' "$@" >>'${log}'; echo "$@" >&2; exit 1\n`;
  writeFileSync(directory.at('git'), program, { mode: 0o755 });
  const env = { PATH: `${directory.path}:${process.env['PATH']}` };
  const options = { ...common, env, workspaceRoot: '/' };
  const failed = fetchPackage({ source: 'https://me:canary-0123@host.example/x/y', ref }, options);
  const error: unknown = await failed.catch((failure: unknown) => failure);
  expect(inspect(error, { depth: 9 })).toContain('The repository cannot be fetched.');
  expect(inspect(error, { depth: 9 })).not.toContain('canary');
  expect(readFileSync(log, 'utf8')).toMatch(ref === undefined ? /^clone$/m : /^init$/m);
  expect(readFileSync(log, 'utf8')).not.toContain('canary');
});

/** Advertisement of a repository of one commit. */
const refs = `001e# service=git-upload-pack\n0000003a${'a'.repeat(40)} HEAD\0shallow\n0000`;

test('git sends the password of a repository to its server only, also after a redirect', async () => {
  await using directory = await temporaryDirectory();
  const received: (readonly [string, string | undefined])[] = [];
  const other = await serve(({ method, headers }, response) => {
    received.push([`${method} other`, headers.authorization]);
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement').end(refs);
  });
  const origin = await serve(({ method = '', url, headers }, response) => {
    received.push([method, headers.authorization]);
    if (headers.authorization !== undefined) response.writeHead(302, { location: `${other}${url}` }).end();
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  // Redirects are followed from https only, for which a test has no certificate.
  const followed = 's/http.followRedirects=false/http.followRedirects=true/';
  const program = `#!/bin/sh\nPATH='${process.env['PATH']}'
for each do shift; set -- "$@" "$(printf %s "$each" | sed ${followed})"; done; exec git "$@"\n`;
  writeFileSync(directory.at('git'), program, { mode: 0o755 });
  const env = { PATH: `${directory.path}:${process.env['PATH']}`, HOME: directory.path };
  const source = `${origin}/x/y`.replace('//', `//me:${encodeURIComponent("p@ss/'$w:")}@`);
  await expect(fetchPackage({ source }, { ...common, env, workspaceRoot: '/' })).rejects.toThrow('cannot be fetched');
  expect(received).toContainEqual(['GET', `Basic ${btoa("me:p@ss/'$w:")}`]);
  expect(received).toContainEqual(['POST other', undefined]);
  expect(received.filter(([what, header]) => what.endsWith('other') && header !== undefined)).toEqual([]);
});

test.for(['git@host.example:x/y.git', 'https://host.example/x/y'])(
  'neither git nor ssh asks on a terminal for %s',
  async (source) => {
    await using directory = await temporaryDirectory();
    const log = directory.at('log');
    const variables = ['GIT_TERMINAL_PROMPT', 'SSH_ASKPASS', 'SSH_ASKPASS_REQUIRE'];
    const text = variables.map((name) => `${name}=$${name}`).join(' ');
    writeFileSync(directory.at('git'), `#!/bin/sh\necho "${text}" >'${log}'; exit 1\n`, { mode: 0o755 });
    const options = { ...common, env: { PATH: `${directory.path}:${process.env['PATH']}` }, workspaceRoot: '/' };
    await expect(fetchPackage({ source }, options)).rejects.toThrow('cannot be fetched');
    expect(readFileSync(log, 'utf8')).toBe('GIT_TERMINAL_PROMPT=0 SSH_ASKPASS=false SSH_ASKPASS_REQUIRE=force\n');
  },
);
