import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { textOf } from '@varve/events';
import { MCPToolObservation } from '@varve/events/payloads';
import { preparePart } from '@varve/events/specs';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import type { Tool } from '../contract/tool.ts';
import { startMcpServers } from './mcp-servers.ts';

const script = fileURLToPath(new URL('../../test/support/hostile-mcp-server.ts', import.meta.url));
const noSecrets = redactor([], { replacement: '***' });

/** Starts a server with an attack, and calls its tool with a text that a slow pattern almost fits. */
async function called(attack: string, timeoutMs = 20_000): Promise<string> {
  const server = {
    transport: 'stdio',
    command: process.execPath,
    args: [script, attack],
    env: {},
    directory: tmpdir(),
    timeoutMs,
  } as const;
  await using servers = await startMcpServers({ s: server }, { env: process.env });
  const [spec] = servers.tools;
  if (!spec) return servers.problems.join();
  const context = { conversationId: 'c', redactor: noSecrets };
  const [tool] = preparePart({ ...spec.params, kind: 'mcp' }, { registry: [servers.kind], path: [] })(context);
  if (!tool) throw new Error('There is no tool.');
  const { signal } = new AbortController();
  const run = { workspace: tmpdir(), signal } as Parameters<Tool['execute']>[1];
  const result = await tool.execute(tool.parse({ text: `${'a'.repeat(40)}!` }), run);
  await tool.close();
  return textOf(MCPToolObservation.read(result)?.content ?? []);
}

/** Whatever a server sends, a call of its tool ends with a result of a limited length. */
async function expectResult(attack: string, expected: RegExp, timeoutMs?: number): Promise<void> {
  const text = await called(attack, timeoutMs);
  expect(text.slice(0, 300)).toMatch(expected);
  expect(text.length).toBeLessThan(60_000);
}

test.for<[string, RegExp]>([
  ['pattern', /^Fine\.$/],
  ['pattern of names', /^Fine\.$/],
  ['doubling', /^Fine\.$/],
  ['a recursive reference', /^Fine\.$/],
  ['depth', /^Fine\.$/],
  ['wide results', /^Fine\.$/],
  ['pattern of results', /^\{"text":"a{40}!"\}$/],
  ['pages without end', /could not be started. It sent more than 20971520 bytes/],
  ['many values', /A message has more than 100000 values/],
  ['deep result', /A message has more than 200 levels of JSON/],
])('an attack by %s ends with a result', { timeout: 60_000 }, async ([attack, expected]) => {
  await expectResult(attack, expected);
});

test.for<[string, RegExp]>([
  ['a line without end', /A message has more than 10485760 bytes|Request timed out/],
  ['questions without end', /Request timed out|does not read/],
  ['notes without end', /Request timed out/],
  ['lines without end', /Request timed out/],
  ['blank lines without end', /Request timed out/],
])('an attack by %s ends with a result after a short time', { timeout: 60_000 }, async ([attack, expected]) => {
  await expectResult(attack, expected, 400);
});

test('after its tools are listed, a server may send more than at its start', { timeout: 60_000 }, async () => {
  expect(await called('long lines')).toBe('Fine.');
});
