import { expect, test } from 'vitest';
import { localServers } from './local-servers.ts';

test('servers at their usual ports are found with their models, and others are not', async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { url } = new Request(input);
    asked.push(url);
    if (url.includes(':11434/')) return Response.json({ data: [{ id: 'qwen3' }, { id: 'gemma3' }] });
    if (url.includes(':8000/')) return new Response('', { status: 401 });
    if (url.includes(':8080/')) return Response.json({ data: [] });
    throw new TypeError('refused');
  };
  expect(await localServers({ fetch })).toEqual([
    { provider: 'ollama', baseUrl: 'http://localhost:11434/v1', models: ['qwen3', 'gemma3'] },
  ]);
  expect(asked.map((url) => new URL(url).port).toSorted()).toEqual(['11434', '1234', '8000', '8080']);
});
