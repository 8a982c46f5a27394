import type { lookup as systemLookup } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Content } from '@varve/events';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest, scriptedModel } from '../testing/index.ts';
import { fetchImage } from './fetch-image.ts';
import { inlineImages, type InlineImageOptions } from './inline-images.ts';
import { isPublicAddress } from './is-public-address.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const inline = `data:image/png;base64,${png.toString('base64')}`;

/** Serves images and other responses. */
async function imageServer() {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    const to = /^\/to\/(.*)/.exec(url)?.[1];
    if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end('moved');
    else if (url === '/page') response.setHeader('content-type', 'text/html').end('<html>');
    else if (url === '/gone') response.writeHead(404, { 'content-type': 'image/png' }).end();
    else if (url === '/silent') response.setHeader('content-type', 'image/png').flushHeaders();
    else if (url === '/other') response.socket?.write('HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    else if (url === '/large') response.setHeader('content-type', 'image/png').end(Buffer.alloc(5000));
    else response.setHeader('content-type', 'image/png; charset=binary').end(png);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function image(...urls: readonly string[]): Content {
  return { type: 'image', image_urls: urls, cache_prompt: false };
}

/** Sends a message with these blocks twice; returns the content that the model receives, and the problems. */
async function sent(content: readonly Content[], options: InlineImageOptions = {}) {
  const problems: string[] = [];
  const inner = scriptedModel([{ text: 'Ok.' }, { text: 'Ok.' }]);
  const model = inlineImages({
    when: 'always',
    allowPrivate: true,
    onProblem: (problem) => problems.push(problem),
    ...options,
  })(inner);
  const request = userRequest('', { messages: [{ role: 'user', content, thinking_blocks: [] }] });
  await model.generate(request);
  await model.generate(request);
  const [first, second] = inner.requests.map(({ messages }) => messages[0]);
  return { content: first?.content, isSameAgain: first === second, problems, isSame: inner.requests[0] === request };
}

test('images replace their addresses and are fetched once, also after redirects', async () => {
  await using server = await imageServer();
  const { content, isSameAgain } = await sent([image(`${server.url}/a`, `${server.url}/to/%2Fb`, inline)]);
  expect(content).toEqual([image(inline, inline, inline)]);
  expect(isSameAgain).toBe(true);
  expect(server.paths.toSorted()).toEqual(['/a', '/b', '/to/%2Fb']);
});

/** Returns the paths fetched for requests with these images, when two images fit in the cache. */
async function fetchedFor(requests: readonly (readonly string[])[]): Promise<readonly string[]> {
  await using server = await imageServer();
  const messages = new Map(
    ['/a', '/b', '/c'].map((path) => [
      path,
      { role: 'user', content: [image(server.url + path)], thinking_blocks: [] } as const,
    ]),
  );
  const inner = scriptedModel(requests.map(() => ({ text: 'Ok.' })));
  const model = inlineImages({ when: 'always', allowPrivate: true, maxKeptBytes: 2 * inline.length })(inner);
  for (const paths of requests) {
    await model.generate(userRequest('', { messages: paths.flatMap((path) => messages.get(path) ?? []) }));
  }
  expect(JSON.stringify(inner.requests)).not.toContain(server.url);
  // Images of one request are fetched concurrently.
  return server.paths.toSorted();
}

test('the least recently used images are evicted from a full cache', async () => {
  expect(await fetchedFor([['/a'], ['/b'], ['/a'], ['/b']])).toEqual(['/a', '/b']);
  expect(await fetchedFor([['/a'], ['/b'], ['/a'], ['/c'], ['/a'], ['/c']])).toEqual(['/a', '/b', '/c']);
  expect(await fetchedFor([['/a'], ['/b'], ['/a'], ['/c'], ['/b']])).toEqual(['/a', '/b', '/b', '/c']);
});

test('the images of one request are kept until the next, however many they are', async () => {
  const all = ['/a', '/b', '/c'];
  expect(await fetchedFor([all, all, all])).toEqual(all);
  expect(await fetchedFor([all, ['/c'], ['/b'], ['/a']])).toEqual(['/a', ...all]);
});

test('a large image becomes a note, fetched or inline', async () => {
  await using server = await imageServer();
  const large = `data:image/png;base64,${'A'.repeat(8000)}`;
  const { content } = await sent([image(`${server.url}/large`, inline, large)], { maxBytes: 1000 });
  const note = { type: 'text', text: '(1 image left out: it has more than 1000 bytes.)', cache_prompt: false };
  expect(content).toEqual([note, note, image(inline)]);
});

test.for(['/page', '/gone', '/silent', '/other', '/to/%2Fto%2F%252Fpage', '/to/file%3A%2F%2F%2Fetc%2Fpasswd'])(
  'an address without an image is sent unchanged and reported: %s',
  async (path) => {
    await using server = await imageServer();
    const { content, problems, isSame } = await sent([image(server.url + path)], { timeoutMs: 200 });
    expect([content, problems.length, isSame]).toEqual([[image(server.url + path)], 2, true]);
  },
);

test('a chain of redirects is limited', async () => {
  await using server = await imageServer();
  let path = '/a';
  for (let hop = 0; hop < 6; hop += 1) path = `/to/${encodeURIComponent(path)}`;
  const { problems } = await sent([image(server.url + path)]);
  expect(problems[0]).toContain('more than 5 redirects');
});

/** A lookup that resolves every name to these addresses. */
const answering = (...addresses: readonly string[]) =>
  ((_name: string, _options: unknown, callback: (error: null, found: readonly object[]) => void): void =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as typeof systemLookup;

describe('only public servers are contacted', () => {
  test.for(['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'])(
    'at %s',
    async (host) => {
      await using server = await imageServer();
      const url = `http://${host}:${server.port}/a`;
      const { content, problems } = await sent([image(url)], { allowPrivate: false });
      expect([content, server.paths]).toEqual([[image(url)], []]);
      expect(problems[0]).toContain('are not allowed');
    },
  );

  test.for([['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['fd00::1'], []])(
    'by a name that resolves to %s',
    async (addresses) => {
      await using server = await imageServer();
      const url = `http://images.test:${server.port}/a`;
      const { problems } = await sent([image(url)], { allowPrivate: false, lookup: answering(...addresses) });
      expect([problems[0]?.includes('are not allowed'), server.paths]).toEqual([true, []]);
    },
  );

  test('after a redirect', async () => {
    await using server = await imageServer();
    const options = {
      maxBytes: 1000,
      signal: AbortSignal.timeout(10_000),
      isAllowed: (ip: string) => ip === '127.0.0.1',
    };
    const there = encodeURIComponent(`http://127.0.0.2:${server.port}/a`);
    await expect(fetchImage(`${server.url}/to/${there}`, options)).rejects.toThrow(
      'Connections to 127.0.0.2 are not allowed',
    );
    expect((await fetchImage(`${server.url}/to/%2Fa`, options)).bytes).toEqual(png);
  });
});

test.for([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['0.0.0.0', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['fe80::1', false],
  ['fc00::1', false],
  ['ff02::1', false],
  ['example.com', false],
  ['192.88.99.1', false],
  ['192.88.98.1', true],
  ['192.175.48.6', false],
  ['2001:1::1', false],
  ['2001:20::1', false],
  ['2001:2f:ffff::1', false],
  ['2001:4860:4860::8888', true],
  ['2620:4f:8000::6', false],
  ['3fff::1', false],
  ['3fff:fff:ffff::1', false],
  ['3ffe::1', true],
  ['5f00::1', false],
] as const)('%s is public: %s', ([address, isPublic]) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

function at(baseUrl: string, model = 'm', vision = true) {
  return openaiChat({ model, baseUrl, vision });
}

test('images are inlined only for servers that do not fetch them and models with vision', () => {
  const models = [
    at('http://localhost:11434'),
    at('https://api.moonshot.ai/v1', 'kimi-k3'),
    at('https://api.openai.com/v1', 'gpt-5.1'),
    at('http://localhost:11434', 'm', false),
  ];
  expect(models.map((model) => inlineImages()(model) === model)).toEqual([false, false, true, true]);
});

test('an abort during a fetch ends the call', async () => {
  await using server = await imageServer();
  const caller = new AbortController();
  const model = inlineImages({ when: 'always', allowPrivate: true })(scriptedModel([{ text: 'Ok.' }]));
  const messages = [{ role: 'user', content: [image(`${server.url}/silent`)], thinking_blocks: [] } as const];
  const call = model.generate(userRequest('', { messages }), { signal: caller.signal });
  while (server.paths.length === 0) await new Promise(setImmediate);
  caller.abort();
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
});
