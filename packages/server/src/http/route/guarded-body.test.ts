import { PassThrough } from 'node:stream';
import { truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

/** More than the system keeps of a response that nobody reads. */
const fileBytes = 64 * 1024 ** 2;

test('an error in the middle of a download is logged, and the client sees that the connection ended', async () => {
  await using directory = await temporaryDirectory();
  const file = directory.at('large');
  await writeFile(file, '');
  await truncate(file, fileBytes);
  const stream = new PassThrough().setEncoding('utf8');
  const serving = server({ store: memoryStore(), keys: [testKey], log: { level: 'error', stream } });
  await using listening = await serving.listen(0);
  const url = `${listening.url}/api/file/download?${new URLSearchParams({ path: file }).toString()}`;
  const response = await fetch(url, { headers: { 'X-Session-API-Key': testKey } });
  await truncate(file, 1);
  const received: Uint8Array[] = [];
  const reading = async () => {
    for await (const chunk of response.body ?? []) received.push(chunk);
  };
  await expect(reading()).rejects.toThrow('terminated');
  // The file has zeros only.
  expect(received.some((chunk) => chunk.some((byte) => byte !== 0))).toBe(false);
  expect(String(stream.read())).toContain('The file has become shorter.');
});
