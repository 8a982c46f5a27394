import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxRules } from './sandbox-rules.ts';

test('denied paths without wildcards are hidden, and hosts are rules of the proxy', () => {
  const rules = sandboxRules(
    [
      { decision: 'deny', on: 'path', pattern: '~/notes' },
      { decision: 'deny', on: 'path', pattern: 'secrets/key' },
      { decision: 'deny', on: 'path', pattern: '*.pem' },
      { decision: 'allow', on: 'path', pattern: '/etc' },
      { decision: 'allow', on: 'path', pattern: '~/.config/tool/**' },
      { decision: 'allow', on: 'path', pattern: '~/notes' },
      { decision: 'allow', on: 'host', pattern: '*.example' },
      { decision: 'allow', on: 'host', pattern: '127.0.0.1:5432' },
      { decision: 'deny', on: 'host', pattern: 'evil.example' },
      { decision: 'ask', on: 'host', pattern: 'asked.example' },
      { decision: 'deny', on: 'command', pattern: 'rm' },
    ],
    '/project',
    '/person',
  );
  expect(rules).toEqual({
    hidden: ['/person/notes', '/project/secrets/key'],
    visible: ['/person/.config/tool'],
    allowed: ['*.example', '127.0.0.1:5432'],
    denied: ['evil.example'],
    ports: [5432],
  });
});

test('a denied name is hidden wherever it exists in the workspace', () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'varve-'));
  for (const place of ['.', 'packages/a', '.git', 'node_modules/b', '.ENV/c']) {
    mkdirSync(join(directory.path, place), { recursive: true });
    for (const name of ['.env', 'a.pem']) writeFileSync(join(directory.path, place, name), '');
  }
  const hiddenBy = (pattern: string): readonly string[] => {
    const { hidden } = sandboxRules([{ decision: 'deny', on: 'path', pattern }], directory.path, '/person');
    return [...new Set(hidden)].map((path) => relative(directory.path, path)).toSorted();
  };
  expect(hiddenBy('.env')).toEqual(['.ENV', '.env', 'node_modules/b/.env', 'packages/a/.env']);
  expect(hiddenBy('*.pem')).toEqual(['.ENV/c/a.pem', 'a.pem', 'node_modules/b/a.pem', 'packages/a/a.pem']);
});
