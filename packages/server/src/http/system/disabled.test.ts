import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { get, testKey } from '../../../test/support/requests.ts';

test.for(['/api/vscode/url', '/api/desktop/url'])('%s keeps its status and explains it', async (path) => {
  const response = await get(server({ store: memoryStore(), keys: [testKey] }), path);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    detail: 'Internal Server Error',
    exception: expect.stringMatching(/^503: .* is disabled/),
  });
});

test('the editor is reported as disabled', async () => {
  const response = await get(server({ store: memoryStore(), keys: [testKey] }), '/api/vscode/status');
  expect(await response.json()).toMatchObject({ running: false, enabled: false });
});
