import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { server } from '../../server.ts';
import { testKey } from '../../../test/support/requests.ts';
import { signInAddress, signInScript } from './sign-in.ts';

async function served() {
  const parent = await mkdtemp(join(tmpdir(), 'varve-front-end-'));
  const directory = join(parent, 'build');
  await mkdir(join(directory, 'assets'), { recursive: true });
  await writeFile(join(parent, 'secret.js'), 'outside');
  await writeFile(join(directory, 'index.html'), '<html><head><title>t</title></head></html>');
  await writeFile(join(directory, 'assets', 'a-1.js'), 'export {};');
  return server({ store: memoryStore(), keys: [testKey], frontEnd: directory });
}

const page = { headers: { accept: 'text/html,application/xhtml+xml' } };

test('addresses that a browser opens are the page, without the key', async () => {
  const one = await served();
  for (const path of ['/', '/conversations/1', '/settings']) {
    const response = await one.request(path, page);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    const html = await response.text();
    expect(html).toContain(`<head><script>${signInScript}</script><title>`);
    expect(html).not.toContain(testKey);
  }
});

test('files are served, other files of the machine are not', async () => {
  const one = await served();
  const script = await one.request('/assets/a-1.js');
  expect([script.status, await script.text()]).toEqual([200, 'export {};']);
  expect(script.headers.get('content-type')).toContain('javascript');
  for (const path of ['/assets/none.js', '/../secret.js', '/%2e%2e/secret.js', '/assets/..%2f..%2fsecret.js']) {
    expect((await one.request(path)).status).toBe(404);
  }
});

test('the protocol answers as without a front end', async () => {
  const one = await served();
  expect(await (await one.request('/server_info')).json()).toMatchObject({ title: 'varve' });
  expect(await (await one.request('/')).json()).toMatchObject({ title: 'varve' });
  expect((await one.request('/api/conversations/count', page)).status).toBe(401);
  expect((await one.request('/v1/nothing.js', page)).status).toBe(401);
});

test('the address signs in: its fragment becomes the key of the page and disappears', () => {
  const items = new Map<string, string>();
  const address = new URL(signInAddress('http://127.0.0.1:8000', 'a"+/<b'));
  const opened = (hash: string) => {
    const shown: string[] = [];
    const window: Record<string, unknown> = {};
    runInNewContext(signInScript, {
      window,
      location: { hash, pathname: '/', search: '' },
      history: { replaceState: (_state: unknown, _title: string, to: string) => shown.push(to) },
      localStorage: { getItem: (name: string) => items.get(name) ?? null, setItem: items.set.bind(items) },
    });
    return { key: window['__AGENT_CANVAS_SESSION_API_KEY__'], shown };
  };
  expect(opened('')).toEqual({ key: undefined, shown: [] });
  expect(opened(address.hash)).toEqual({ key: 'a"+/<b', shown: ['/'] });
  expect(opened('')).toEqual({ key: 'a"+/<b', shown: [] });
});
