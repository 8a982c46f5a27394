import { describe, expect, test } from 'vitest';
import { apiRoot } from './api-root.ts';

const rows: readonly (readonly [string, string])[] = [
  ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1'],
  ['http://localhost:11434', 'http://localhost:11434/v1'],
  [' http://localhost:11434/ ', 'http://localhost:11434/v1'],
  ['https://openrouter.ai/api/v1/chat/completions', 'https://openrouter.ai/api/v1'],
  ['https://api.z.ai/api/paas/v4', 'https://api.z.ai/api/paas/v4'],
  ['http://h/v1/models', 'http://h/v1'],
];

describe('the root of', () => {
  test.for(rows)('%s is %s', ([address, root]) => {
    expect(apiRoot(address)).toBe(root);
  });
});

test('an invalid address is named in the error', () => {
  expect(() => apiRoot('localhost:11434')).toThrow('The base URL "localhost:11434" is not an http address.');
});

test('a password in the address is rejected and not repeated', () => {
  expect(() => apiRoot('https://me:hunter2@x.test/v1')).toThrow(
    /^The base URL of x.test contains a user name or password/,
  );
});

test.for(['ftp://me:hunter2@x.test/v1', 'ftp://me:hunt@hunt/er2@x.test/v1', 'ftp://x.test/v1?key=hunter2'])(
  'a password in %s, which is not an http address, is not repeated',
  (address) => {
    expect(() => apiRoot(address)).toThrow('The base URL "ftp://x.test/v1" is not an http address.');
  },
);

test('a password in an address without a scheme is not repeated', () => {
  expect(() => apiRoot('me:hunter2@x.test/v1')).toThrow('The base URL "x.test/v1" is not an http address.');
});

test('a query is rejected, and not repeated, because it may contain a key', () => {
  expect(() => apiRoot('https://x.test/v1?key=AIza0123')).toThrow('The base URL of x.test contains a query.');
});
