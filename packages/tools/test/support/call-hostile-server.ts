import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { textOf } from '@varve/events';
import { MCPToolObservation } from '@varve/events/payloads';
import { preparePart } from '@varve/events/specs';
import { redactor } from '@varve/text';
import type { Tool } from '../../src/contract/tool.ts';
import { startMcpServers } from '../../src/mcp/mcp-servers.ts';

const script = fileURLToPath(new URL('hostile-mcp-server.ts', import.meta.url));
const noSecrets = redactor([], { replacement: '***' });

/** Starts a server with an attack, and calls its tool with a text that a slow pattern almost fits. */
export async function callHostileServer(attack: string, timeoutMs = 20_000): Promise<string> {
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
  await tool.close?.();
  return textOf(MCPToolObservation.read(result)?.content ?? []);
}
