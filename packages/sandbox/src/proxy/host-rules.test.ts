import { expect, test } from 'vitest';
import { matchesHost, ruleFor, usableAddresses } from './host-rules.ts';

test.for([
  ['Example.com.', 'example.com', true],
  ['a.example.com', 'example.com', false],
  ['a.example.com', '*.example.com', true],
  ['example.com', '*.example.com', false],
  ['evilexample.com', '*.example.com', false],
  ['example.com.evil', 'example.com', false],
  ['[::1]', '::1', true],
  ['anything', '*', true],
] as const)('compares %s with %s', ([host, pattern, expected]) => {
  expect(matchesHost(host, pattern)).toBe(expected);
});

test('denies before it allows, and leaves other hosts open', () => {
  const rules = { allowed: ['*'], denied: ['a.b'] };
  expect([ruleFor('a.b', rules), ruleFor('c', rules), ruleFor('c', { allowed: [] })]).toEqual([false, true, undefined]);
});

test('refuses a name that leads to this machine or to the services of a cloud', () => {
  const addresses = ['127.0.0.1', '169.254.169.254', '0.0.0.0', '93.184.216.34'].map((address) => ({
    address,
    family: 4,
  }));
  const six = ['::1', '::ffff:127.0.0.1', 'fe80::1'].map((address) => ({ address, family: 6 }));
  expect(usableAddresses('name.example', [...addresses, ...six])).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(usableAddresses('127.0.0.1', addresses)).toBe(addresses);
});
