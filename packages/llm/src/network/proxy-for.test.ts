import { expect, test } from 'vitest';
import { proxyFor, proxyVariables, unusableProxies } from './proxy-for.ts';

const proxy = 'http://proxy.corp.test:3128';

test.for<readonly [string, Readonly<Record<string, string>>, string | undefined]>([
  ['https://api.test/v1', { HTTPS_PROXY: proxy }, proxy],
  ['http://api.test/v1', { HTTPS_PROXY: proxy }, undefined],
  ['http://api.test/v1', { ALL_PROXY: proxy }, proxy],
  ['https://api.test/v1', { all_proxy: proxy, HTTPS_PROXY: 'http://other:1' }, 'http://other:1'],
  ['https://api.test/v1', { HTTPS_PROXY: 'http://me:secret@proxy.corp.test:3128' }, proxy],
  ['https://api.test/v1', { HTTPS_PROXY: 'proxy.corp.test:3128' }, proxy],
  ['https://api.test/v1', { https_proxy: '', HTTPS_PROXY: proxy }, undefined],
  ['https://api.test/v1', { ALL_PROXY: 'socks5://proxy:1080' }, undefined],
  ['https://git.corp.test/v1', { HTTPS_PROXY: proxy, NO_PROXY: 'corp.test' }, undefined],
  ['https://git.corp.test/v1', { HTTPS_PROXY: proxy, no_proxy: 'x, .corp.test:443' }, undefined],
  ['https://git.corp.test/v1', { HTTPS_PROXY: proxy, NO_PROXY: 'corp.test:8443' }, proxy],
  ['https://git.corp.test:8443/v1', { HTTPS_PROXY: proxy, NO_PROXY: '*.corp.test:8443' }, undefined],
  ['https://10.0.0.7/v1', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.1-10.0.0.9' }, undefined],
  ['https://10.0.0.17/v1', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.1-10.0.0.9' }, proxy],
  ['https://notcorp.test/v1', { HTTPS_PROXY: proxy, NO_PROXY: 'corp.test' }, proxy],
  ['https://api.test/v1', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, undefined],
  ['http://127.0.0.1:11434/v1', { HTTP_PROXY: proxy }, undefined],
  ['http://localhost:11434/v1', { HTTP_PROXY: proxy }, undefined],
])('the proxy for %s with %j is %s', ([address, env, expected]) => {
  expect(proxyFor(address, env)).toBe(expected);
});

test('Node receives the proxies with their credentials, and names with their subdomains', () => {
  const env = { ALL_PROXY: 'http://me:secret@proxy:3128', NO_PROXY: 'corp.test,10.0.0.1,.local' };
  const { no_proxy: direct, ...proxies } = proxyVariables(env) ?? { no_proxy: '' };
  expect(proxies).toEqual({ http_proxy: env.ALL_PROXY, https_proxy: env.ALL_PROXY });
  const names = direct.split(',');
  for (const name of ['localhost', '127.0.0.1', '::1', 'corp.test', '.corp.test', '10.0.0.1', '.local'])
    expect(names).toContain(name);
  expect(proxyVariables({ NO_PROXY: 'a' })).toBeUndefined();
});

test('a proxy of another protocol is named', () => {
  expect(unusableProxies({ ALL_PROXY: 'socks5://proxy:1080', http_proxy: proxy })).toEqual(['ALL_PROXY']);
});
