import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { valueOf } from './lookup.ts';
import type { SecretSource } from './secret-source.ts';

async function served(handler: RequestListener): Promise<{ readonly url: string; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function lookup(url: string): SecretSource {
  return { kind: 'LookupSecret', url, headers: { Authorization: 'Bearer canary-header' }, description: undefined };
}

test('the value is the body of the reply, and the headers are sent', async () => {
  const { url, seen } = await served((_, response) => response.end('value\n'));
  expect(await valueOf(lookup(`${url}/x`))).toBe('value\n');
  expect(await valueOf(lookup('/api/x'), { internalUrl: url })).toBe('value\n');
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer canary-header'));
});

test('redirects are followed within the server, and never to another one', async () => {
  const other = await served((_, response) => response.end('stolen'));
  const { url } = await served((request, response) => {
    const target =
      request.url === '/a' ? '/b' : request.url === '/out' ? other.url : request.url === '/loop' ? '/loop' : '';
    if (target === '') response.end('value');
    else response.writeHead(302, { location: target }).end();
  });
  expect(await valueOf(lookup(`${url}/a`))).toBe('value');
  await expect(valueOf(lookup(`${url}/out`))).rejects.toThrow('redirects to another server');
  await expect(valueOf(lookup(`${url}/loop`))).rejects.toThrow('redirects too often');
  expect(other.seen).toEqual([]);
});

test.for(['http://example.com/x', 'ftp://127.0.0.1/x', 'file:///etc/passwd', 'https://user:pass@example.com/'])(
  'no secret is read from %s',
  async (url) => {
    await expect(valueOf(lookup(url))).rejects.toMatchObject({ code: 'invalid' });
  },
);

test('a failed, empty, or endless reply is an error without the address, headers and body', async () => {
  const { url } = await served((request, response) => {
    if (request.url === '/404') response.writeHead(404).end('canary-body');
    else if (request.url === '/long') response.end('canary-body'.repeat(10_000));
    else response.end('');
  });
  for (const path of ['/404', '/long', '/empty?key=canary-query']) {
    const error: unknown = await valueOf(lookup(url + path)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'io' });
    expect(String(error)).not.toContain('canary');
  }
});

test('a lookup that cannot connect reports the code of the failure', async () => {
  const url = 'https://secrets.example.test/a';
  const source = { kind: 'LookupSecret', url, headers: {}, description: undefined } as const;
  const cause = Object.assign(new Error('a header'), { code: 'ECONNREFUSED, proxy http://proxy:1' });
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
  await expect(valueOf(source, { fetch })).rejects.toThrow(
    'The secret at secrets.example.test is not available: it cannot be reached (ECONNREFUSED, proxy http://proxy:1).',
  );
});
