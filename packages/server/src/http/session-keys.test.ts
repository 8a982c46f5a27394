import { expect, test } from 'vitest';
import { sessionKeys } from './session-keys.ts';

const host = '127.0.0.1';

test('the key option takes precedence over the environment', () => {
  const env = { VARVE_SESSION_API_KEY: 'ours', OH_SESSION_API_KEYS_0: 'theirs' };
  expect(sessionKeys({ key: 'typed', env, host })).toEqual({ keys: ['typed'], isGenerated: false });
  expect(sessionKeys({ env, host })).toEqual({ keys: ['ours'], isGenerated: false });
});

test('the keys of the reference are read while their numbers are consecutive', () => {
  const env = {
    VARVE_SESSION_API_KEY: '',
    OH_SESSION_API_KEYS_0: 'a',
    OH_SESSION_API_KEYS_1: 'b',
    OH_SESSION_API_KEYS_3: 'c',
  };
  expect(sessionKeys({ env, host }).keys).toEqual(['a', 'b']);
  const older = { SESSION_API_KEY: 'old' };
  expect(sessionKeys({ env: older, host })).toEqual({ keys: ['old'], isGenerated: false });
  expect(sessionKeys({ env: { ...env, ...older }, host }).keys).toEqual(['a', 'b']);
});

test('without a key, a new one of 32 random bytes is generated each time', () => {
  const [keys, other] = [sessionKeys({ env: {}, host }), sessionKeys({ env: {}, host })];
  expect(keys.isGenerated).toBe(true);
  expect(keys.keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(keys.keys).not.toEqual(other.keys);
});

test.for(['0.0.0.0', '::', '192.168.0.7', 'box.lan'])('%s needs a configured key', (open) => {
  expect(() => sessionKeys({ env: {}, host: open })).toThrow(expect.objectContaining({ code: 'key-needed' }));
  expect(sessionKeys({ key: 'k', env: {}, host: open }).keys).toEqual(['k']);
});

const read = (text: string) => sessionKeys({ key: 'k', env: { VARVE_SCOPED_KEYS: text }, host });

test('scoped keys are a JSON list, and further keys', () => {
  const scopedKeys = [{ key: 'a', owner: 'alice', scopes: ['read', 'run'] }];
  expect(read(JSON.stringify(scopedKeys))).toEqual({ keys: ['k'], isGenerated: false, scopedKeys });
  for (const text of [
    '{',
    '{}',
    '["a"]',
    '[{"key":"a"}]',
    '[{"key":"a","scopes":["write"]}]',
    '[{"key":"a","scopes":[],"x":1}]',
  ])
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
});
