import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { trustedProxies } from './trusted-proxies.ts';

const proxies = trustedProxies(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

function senderOf(remoteAddress: string, forwarded?: string): string | undefined {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return proxies.senderOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

test.for<readonly [address: string, forwarded: string | undefined, sender: string]>([
  ['192.0.2.1', undefined, '192.0.2.1'],
  ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['10.1.2.3', 'made up, 203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['10.1.2.3', '198.51.100.7, 10.9.9.9', '198.51.100.7'],
  ['fd00::1', '2001:db8::1', '2001:db8::1'],
  ['10.1.2.3', 'made up', '10.1.2.3'],
  ['10.1.2.3', '127.0.0.1, 10.0.0.9', '127.0.0.1'],
])('a request of %s that is forwarded for %s is one of %s', ([address, forwarded, sender]) => {
  expect(senderOf(address, forwarded)).toBe(sender);
});

test.for(['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '', '::1/129', '10.0.0.0/-1'])(
  'the proxy "%s" is refused',
  (text) => {
    expect(() => trustedProxies([text])).toThrow(
      `The trusted proxy ${JSON.stringify(text)} is not an address or a network.`,
    );
  },
);
