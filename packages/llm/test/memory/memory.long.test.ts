import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { hostileResponses, type HostileResponse } from './hostile-bodies.ts';

/** Answers each request at a port of its own, as the bytes of the response are sent without a server. */
async function serve(respond: HostileResponse): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      respond(socket).then(
        () => socket.end(),
        () => socket.destroy(),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const result = z.object({ codes: z.array(z.string()), capabilities: z.object({}), maxMegabytes: z.number() });

test('no response needs more memory than the limits allow', { timeout: 240_000 }, async () => {
  const rows = Object.entries(hostileResponses);
  const addresses = await Promise.all(rows.map(([, [, respond]]) => serve(respond)));
  const [, list] = hostileResponses['an endless list'] ?? [];
  const child = fileURLToPath(new URL('read-replies.ts', import.meta.url));
  const flags = ['--conditions=@varve/source', '--max-old-space-size=192', child];
  const probed = list ? await serve(list) : '';
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, probed, ...addresses]);
  const { codes, capabilities, maxMegabytes } = result.parse(JSON.parse(stdout));
  expect(rows.map(([name], index) => [name, codes[index]])).toEqual(rows.map(([name, [code]]) => [name, code]));
  expect(capabilities).toEqual({});
  // 340 measured, of which an idle process needs 110.
  expect(maxMegabytes).toBeLessThan(600);
});
