import { expect, test } from 'vitest';
import { upstreamProxy } from './sandbox-from-settings.ts';

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
