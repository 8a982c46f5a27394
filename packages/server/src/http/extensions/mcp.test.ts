import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { secretStore } from '@varve/settings/secrets';
import { expect, onTestFinished, test } from 'vitest';
import { homeServer } from '../../../test/support/home-server.ts';

const script = fileURLToPath(new URL('../../../../tools/test/support/mcp-server.ts', import.meta.url));
const path = '/api/mcp/test';

test('a server of tools is started, listed, called and ended', async () => {
  const place = homeServer();
  const server = { type: 'stdio', command: process.execPath, args: [script] };
  const tool_call = { name: 'echo', arguments: { text: 'hello' } };
  expect(await place.call(200, 'POST', path, { server, tool_call })).toMatchObject({
    ok: true,
    tools: expect.arrayContaining(['echo', 'fail']) as unknown,
    tool_result: { is_error: false, text: expect.stringContaining('hello') as unknown },
  });
});

test('a server that fails is a result, without the values of its variables and the secrets of its arguments', async () => {
  const place = homeServer();
  const cipher = await secretStore({ home: place.home }).cipher();
  const program = "console.error('key ' + process.env.A + process.argv[2]); process.exit(3)";
  const key = 'canary-of-the-server';
  const common = { command: process.execPath, args: ['-e', program] };
  for (const server of [
    { ...common, env: { A: key } },
    { ...common, env: { A: cipher.encrypt(key) } },
    { ...common, args: [...common.args, '--', '--token', key] },
  ]) {
    const result = await place.call(200, 'POST', path, { server });
    expect(result).toMatchObject({ ok: false, error_kind: 'connection' });
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(JSON.stringify(result)).toContain('<secret-hidden>');
  }
  for (const other of [{}, { url: 'ftp://x' }, { command: 'x', auth: { strategy: 'oauth2' } }]) {
    expect(await place.call(200, 'POST', path, { server: other })).toMatchObject({ ok: false, error_kind: 'unknown' });
  }
  await place.call(422, 'POST', path, { server: common, timeout: 121 });
});

test('a server that does not answer is a timeout', async () => {
  const place = homeServer();
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        silent.closeAllConnections();
        silent.close(() => resolve());
      }),
  );
  const { port } = silent.address() as AddressInfo;
  const server = { type: 'shttp', url: `http://127.0.0.1:${port}/mcp` };
  expect(await place.call(200, 'POST', path, { server, timeout: 0.2 })).toMatchObject({
    ok: false,
    error_kind: 'timeout',
  });
});

test('secrets of the person are used by name, and masked in results', async () => {
  const place = homeServer();
  await place.call(200, 'PUT', '/api/settings/secrets', { name: 'DOCS', value: 'canary-of-the-person' });
  const server = { command: process.execPath, args: [script], env: { MORE: '${DOCS}' } };
  expect(await place.call(200, 'POST', path, { server })).toMatchObject({ ok: true });
  const missing = { ...server, env: { MORE: '${OTHER}' } };
  expect(await place.call(200, 'POST', path, { server: missing })).toMatchObject({ ok: false });
});

test('authorizations are not offered', async () => {
  const place = homeServer();
  const server = { url: 'https://mcp.example.test', auth: { strategy: 'oauth2' } };
  expect(await place.call(200, 'POST', '/api/mcp/oauth/start', { server })).toMatchObject({ ok: false, job_id: null });
  await place.call(400, 'POST', '/api/mcp/oauth/start', { server: { url: server.url } });
  await place.call(404, 'GET', '/api/mcp/oauth/status/x');
  await place.call(404, 'POST', '/api/mcp/oauth/callback/x', { callback_url: 'http://127.0.0.1/' });
});
