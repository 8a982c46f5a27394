import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maxMessageBytes } from './message-limits.ts';
import { ProcessTransport } from './process-transport.ts';

test('a server that does not read what is sent to it is ended', async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'varve-'));
  const args = ['-c', 'until [ -e end ]; do sleep 0.02; done'];
  const server = { transport: 'stdio', command: 'sh', args, env: {}, directory: directory.path } as const;
  const transport = new ProcessTransport(server, { PATH: process.env['PATH'] ?? '' });
  await transport.start();
  const params = { text: 'x'.repeat(maxMessageBytes / 4) };
  const send = async (): Promise<void> => transport.send({ jsonrpc: '2.0', method: 'notifications/x', params });
  for (let count = 0; count < 4; count += 1) await send();
  await expect(send()).rejects.toThrow('It does not read what is sent to it.');
  expect(transport.problem).toBe('It does not read what is sent to it.');
  await expect(send()).rejects.toThrow('The server has ended.');
  writeFileSync(join(directory.path, 'end'), '');
  await transport.close();
});
