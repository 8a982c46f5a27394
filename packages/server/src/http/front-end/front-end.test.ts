import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { modelProfiles } from '@varve/settings/profiles';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import type { ServerOptions } from '../../server-options.ts';
import { server } from '../../server.ts';
import { homeServer } from '../../../test/support/home-server.ts';
import { testKey } from '../../../test/support/requests.ts';
import { absentServices } from './front-end.ts';
import { absentStyle, onboardedScript, signInAddress, signInScript } from './sign-in.ts';

async function served(options: Partial<ServerOptions> = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'varve-front-end-'));
  const directory = join(parent, 'build');
  await mkdir(join(directory, 'assets'), { recursive: true });
  await writeFile(join(parent, 'secret.js'), 'outside');
  await writeFile(join(directory, 'index.html'), '<html><head><title>t</title></head></html>');
  await writeFile(join(directory, 'assets', 'a-1.js'), 'export {};');
  return server({ store: memoryStore(), keys: [testKey], frontEnd: directory, ...options });
}

const page = { headers: { accept: 'text/html,application/xhtml+xml' } };

test('addresses that a browser opens are the page, without the key', async () => {
  const first = await served();
  for (const path of ['/', '/conversations/1', '/settings']) {
    const response = await first.request(path, page);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    const html = await response.text();
    expect(html).toMatch(/<head><script nonce="[\w+/=]+">/);
    expect(html).toContain(`>${signInScript}</script>${absentStyle}<title>`);
    expect(html).not.toContain(testKey);
  }
});

test('files are served, other files of the machine are not', async () => {
  const first = await served();
  const script = await first.request('/assets/a-1.js');
  expect([script.status, await script.text()]).toEqual([200, 'export {};']);
  expect(script.headers.get('content-type')).toContain('javascript');
  for (const path of ['/assets/none.js', '/../secret.js', '/%2e%2e/secret.js', '/assets/..%2f..%2fsecret.js']) {
    expect((await first.request(path)).status).toBe(404);
  }
});

test('the protocol answers as without a front end', async () => {
  const first = await served();
  expect(await (await first.request('/server_info')).json()).toMatchObject({ title: 'varve' });
  expect(await (await first.request('/')).json()).toMatchObject({ title: 'varve' });
  expect((await first.request('/api/conversations/count', page)).status).toBe(401);
  expect((await first.request('/v1/nothing.js', page)).status).toBe(401);
});

test('the address signs in: its fragment becomes the key and disappears, and first steps are hidden', () => {
  const items = new Map<string, string>();
  const address = new URL(signInAddress('http://127.0.0.1:8000', 'a"+/<b'));
  const opened = (hash: string) => {
    const texts: string[] = [];
    const window: Record<string, unknown> = {};
    runInNewContext(signInScript, {
      window,
      location: { hash, pathname: '/', search: '' },
      history: { replaceState: (_state: unknown, _title: string, to: string) => texts.push(to) },
      localStorage: { getItem: (name: string) => items.get(name) ?? null, setItem: items.set.bind(items) },
    });
    return { key: window['__AGENT_CANVAS_SESSION_API_KEY__'], shown: texts };
  };
  expect(opened('')).toEqual({ key: undefined, shown: [] });
  expect(opened(address.hash)).toEqual({ key: 'a"+/<b', shown: ['/'] });
  expect(opened('')).toEqual({ key: 'a"+/<b', shown: [] });
  const steps = 'openhands-sidebar-onboarding-checklist-dismissed';
  expect(items.get(steps)).toBe('true');
  // The person shows the list of first steps.
  items.set(steps, 'false');
  opened('');
  expect(items.get(steps)).toBe('false');
});

test('the page refuses statistics of use, and may load nothing from other servers except the editor', async () => {
  const first = await served();
  const policies = await Promise.all(
    [1, 2].map(async () => (await first.request('/', page)).headers.get('content-security-policy') ?? ''),
  );
  for (const policy of policies) {
    const hosts = policy.match(/https:\/\/[^\s/;]+/g) ?? [];
    expect(new Set(hosts)).toEqual(new Set(['https://cdn.jsdelivr.net']));
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*'unsafe-/);
  }
  const nonces = policies.map((policy) => /'nonce-([^']+)'/.exec(policy)?.[1]);
  expect(new Set(nonces).size).toBe(2);
  expect(signInScript).toContain("'openhands-telemetry-consent', 'denied'");
});

test('services that do not exist are empty for the page, and need the key', async () => {
  const first = await served();
  const headers = { 'X-Session-API-Key': testKey };
  for (const [request, answer] of Object.entries(absentServices)) {
    const [method = '', path = ''] = request.split(' ');
    const response = await first.request(`${path}?limit=1`, { method, headers });
    expect([request, response.status, await response.json()]).toEqual([request, 200, answer]);
    expect((await first.request(path, { method })).status).toBe(401);
  }
  const plain = server({ store: memoryStore(), keys: [testKey] });
  expect((await plain.request('/api/automation/health', { headers })).status).toBe(404);
});

test('the page asks for a model only while there is none', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-front-end-home-'));
  const first = await served({ home, env: {} });
  expect(await (await first.request('/', page)).text()).not.toContain(onboardedScript);
  const profiles = modelProfiles(home);
  await profiles.save('local', { model: 'm', base_url: 'http://127.0.0.1:9/v1' });
  await profiles.activate('local');
  expect(await (await first.request('/', page)).text()).toContain(onboardedScript);
});

test('a conversation without a workspace starts in the directory of the server, which stays as it is', async () => {
  const place = homeServer({ frontEnd: tmpdir() });
  const { userHome } = place;
  const id = '01234567-89ab-4def-8123-456789abcdef';
  const start = (working_dir: string, conversation_id: string) =>
    place.call(201, 'POST', '/api/conversations', {
      conversation_id,
      worktree: true,
      workspace: { working_dir },
      agent: { llm: { model: 'm', base_url: 'http://127.0.0.1:9/v1' }, tools: [] },
    });
  const made = await start(join(userHome, 'workspace', 'project', id.replaceAll('-', '')), id);
  expect(made).toMatchObject({ workspace: { working_dir: userHome } });
  expect(await readdir(userHome)).not.toContain('.git');
  const chosen = join(userHome, 'workspace', 'project', 'mine');
  expect(await start(chosen, 'other')).toMatchObject({ workspace: { working_dir: chosen } });
});
