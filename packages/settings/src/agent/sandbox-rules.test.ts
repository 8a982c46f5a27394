import { expect, test } from 'vitest';
import { sandboxRules } from './sandbox-rules.ts';

test('denied paths without wildcards are hidden, and hosts are rules of the proxy', () => {
  const rules = sandboxRules(
    [
      { decision: 'deny', on: 'path', pattern: '~/notes' },
      { decision: 'deny', on: 'path', pattern: 'secrets/key' },
      { decision: 'deny', on: 'path', pattern: '*.pem' },
      { decision: 'allow', on: 'path', pattern: '/etc' },
      { decision: 'allow', on: 'host', pattern: '*.example' },
      { decision: 'deny', on: 'host', pattern: 'evil.example' },
      { decision: 'ask', on: 'host', pattern: 'asked.example' },
      { decision: 'deny', on: 'command', pattern: 'rm' },
    ],
    '/project',
    '/person',
  );
  expect(rules).toEqual({
    hidden: ['/person/notes', '/project/secrets/key'],
    allowed: ['*.example'],
    denied: ['evil.example'],
  });
});
