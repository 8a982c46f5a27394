import { expect, test } from 'vitest';
import { isLoopback } from './is-loopback.ts';

test('names, addresses and URLs of this machine are loopback', () => {
  const local = [
    'localhost',
    'LOCALHOST',
    'app.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    'http://[::1]:80/v1',
    'http://localhost:1',
  ];
  expect(local.filter((address) => !isLoopback(address))).toEqual([]);
});

test('other names and addresses are not', () => {
  const remote = [
    'https://api.openai.com/v1',
    '10.0.0.1',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    '::2',
    'notlocalhost',
    'http://',
  ];
  expect(remote.filter(isLoopback)).toEqual([]);
});
