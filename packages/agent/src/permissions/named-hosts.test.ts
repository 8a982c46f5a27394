import { expect, test, vi } from 'vitest';
import { hostsIn } from './named-hosts.ts';

test.for<readonly [string, readonly string[]]>([
  ['see http://a.example/x?y#z', ['a.example']],
  ['https://one.example/to?http://two.example/', ['one.example', 'two.example']],
  ['http:////many.example/', ['many.example']],
  ['http://user:p@c.example:80/', ['c.example']],
  ['http://[::1]:8080/x', ['[::1]']],
  ['ssh://git@d.example/x.git', ['d.example']],
  ['file:///etc/passwd', []],
  ['://x', []],
])('the hosts of %j', ([text, hosts]) => {
  expect(hostsIn([text])).toEqual(hosts);
});

// Of 4,000,000 characters of `a://`, each address was read up to 2000 characters: 6 s in one turn.
test.for(['a://', 'http://', 'http://a/', '://', 'a:///', 'http://a?', '/a://'])(
  'each character of many %j belongs to one address',
  (address) => {
    using parse = vi.spyOn(URL, 'canParse');
    const text = address.repeat(1000);
    hostsIn([text]);
    const read = parse.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
    expect(read).toBeLessThan(2 * text.length);
  },
);
