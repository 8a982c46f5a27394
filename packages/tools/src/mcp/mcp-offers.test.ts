import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { httpServer, stdioServer } from '../../test/support/sdk-servers.ts';
import { startMcpServers } from './mcp-servers.ts';

const { signal } = new AbortController();

test.for([
  ['stdio', stdioServer],
  ['http', httpServer],
] as const)('resources and prompts of a server over %s are listed and read', async ([, serverOf]) => {
  await using started = await startMcpServers({ docs: await serverOf() }, { env: process.env });
  const { offers } = started;
  const { resources, prompts } = await offers.list(signal);
  expect(resources.slice(0, 2)).toEqual([
    { server: 'docs', uri: 'notes://today', description: 'today: Notes of today.' },
    { server: 'docs', uri: 'notes://long', description: 'long' },
  ]);
  const file = { name: 'file', isRequired: true };
  const review = { server: 'docs', name: 'review', description: 'Reviews a file.' };
  expect(prompts.slice(1)).toEqual([{ ...review, arguments: [file, { name: 'tone', isRequired: false }] }]);
  expect(textOf(await offers.resource('docs', 'notes://today', signal))).toBe('Buy oats.');
  const asked = await offers.prompt({ server: 'docs', name: 'review' }, { file: 'a.ts' }, signal);
  expect(textOf(asked)).toBe('Review a.ts.\nAssistant: In a calm tone?\nYes.');
});

test('a long resource is cut, an image is one, and other data is named', async () => {
  await using started = await startMcpServers({ docs: stdioServer() }, { env: process.env });
  const read = async (uri: string) => started.offers.resource('docs', uri, signal);
  const long = textOf(await read('notes://long'));
  expect([long.length < 51_000, long]).toEqual([true, expect.stringMatching(/^start.*characters are left out.*end$/s)]);
  expect(await read('image://dot')).toMatchObject([{ type: 'image', image_urls: [expect.stringContaining('png')] }]);
  expect(textOf(await read('sound://beep'))).toBe('[sound://beep: data that is not text]');
  await expect(read('notes://gone')).rejects.toThrow('The server docs failed to answer a request for a resource');
  await expect(started.offers.resource('other', 'a:b', signal)).rejects.toThrow('The server other is not running.');
});

test('lists are kept until the server reports a change', async () => {
  await using started = await startMcpServers({ docs: stdioServer() }, { env: process.env });
  const { offers } = started;
  const names = async () => (await offers.list(signal)).prompts.map(({ name }) => name);
  expect(await names()).toEqual([expect.stringContaining('evil'), 'review']);
  // Reading this resource adds a prompt.
  await offers.resource('docs', 'notes://grow', signal);
  expect(await names()).toEqual([expect.stringContaining('evil'), 'review', 'fresh']);
});
