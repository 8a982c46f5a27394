import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSettings } from '../layers/resolve-settings.ts';
import { probeSandbox, upstreamProxy } from './sandbox-from-settings.ts';

test('the proxy of the sandbox uses that of the variables, except for local and named hosts', () => {
  const env = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '.corp.example, build:8080' };
  const proxy = upstreamProxy(env);
  expect(proxy?.url.host).toBe('proxy.example:3128');
  expect(proxy?.except).toEqual([
    'corp.example',
    '*.corp.example',
    'build',
    '*.build',
    'localhost',
    '127.0.0.1',
    '::1',
  ]);
  expect(upstreamProxy({ https_proxy: 'http://other.example', ...env })?.url.host).toBe('other.example');
  expect(upstreamProxy({ all_proxy: 'proxy.example:3128' })?.url.host).toBe('proxy.example:3128');
  expect(upstreamProxy({})).toBeUndefined();
  expect(upstreamProxy({ HTTPS_PROXY: 'socks5://proxy.example' })).toBeUndefined();
});

test('a test of the sandbox that was started earlier is used, except with the profile off', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-settings-'));
  const home = directory.path;
  const problems = ['auto', 'off'].map(async (value) => {
    const flags = [{ key: 'sandbox.profile', value, flag: '--sandbox' } as const];
    const settings = await resolveSettings({ home, workspace: home, env: {}, flags });
    return probeSandbox({ settings, userHome: home, sandboxProblem: Promise.resolve('No walls.') });
  });
  expect(await Promise.all(problems)).toEqual(['No walls.', undefined]);
});
