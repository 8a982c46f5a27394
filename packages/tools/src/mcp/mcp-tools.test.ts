import { tmpdir } from 'node:os';
import { preparePart } from '@varve/events/specs';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { httpServer, stdioServer } from '../../test/support/sdk-servers.ts';
import type { Tool } from '../contract/tool.ts';
import { startMcpServers } from './mcp-servers.ts';

const { signal } = new AbortController();

const names = (changed: readonly Tool[] = []) => changed.map(({ name }) => name);

test.for([
  ['stdio', stdioServer],
  ['http', httpServer],
] as const)('the source of tools of a server over %s returns those that came and went', async ([, serverOf]) => {
  await using started = await startMcpServers({ docs: await serverOf() }, { env: process.env });
  const params = { ...started.tools[0]?.params, kind: 'mcp' };
  const context = { conversationId: 'c', redactor: redactor([], { replacement: '***' }) };
  const tools = preparePart(params, { registry: [started.kind], path: [] })(context);
  const source = tools[0]?.source;
  const run = { workspace: tmpdir(), signal, idempotencyKey: 'key-of-the-call' } as Parameters<Tool['execute']>[1];
  const called = async (name: string) => tools.find((tool) => tool.name === `mcp__docs__${name}`)?.execute({}, run);
  expect(names(source?.made)).toEqual(['mcp__docs__ask', 'mcp__docs__grow', 'mcp__docs__shrink']);
  expect(await source?.changes(signal)).toEqual({ added: [], removed: [] });
  await called('grow');
  await expect
    .poll(async () => names((await source?.changes(signal))?.added), { interval: 5 })
    .toEqual(['mcp__docs__fresh']);
  expect(await source?.changes(signal)).toEqual({ added: [], removed: [] });
  // Only the description of the tool changes.
  await called('grow');
  await expect
    .poll(
      async () => {
        const { added = [], removed = [] } = (await source?.changes(signal)) ?? {};
        return [...added, ...removed].map(({ name, description }) => [name, description]);
      },
      { interval: 5 },
    )
    .toEqual([
      ['mcp__docs__fresh', 'Is known.'],
      ['mcp__docs__fresh', 'Is new.'],
    ]);
  // The server reads the key of the call, by which it recognizes a repetition.
  expect(await called('shrink')).toMatchObject({ content: [{ text: 'It is gone after key-of-the-call.' }] });
  await expect
    .poll(async () => names((await source?.changes(signal))?.removed), { interval: 5 })
    .toEqual(['mcp__docs__fresh']);
  await Promise.all(tools.map(async (tool) => tool.close?.()));
});
