import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PermissionRule } from '@varve/agent/confirmation';
import { permissionStore } from './permission-store.ts';

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'varve-permissions-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['a', 'b']) mkdirSync(join(root, name));
  return root;
}

const status: PermissionRule = { decision: 'allow', on: 'command', pattern: 'git status' };
const push: PermissionRule = { decision: 'deny', on: 'command', pattern: 'git push' };

test('rules of a project hold there, and those of the person everywhere', async () => {
  const root = newRoot();
  const store = permissionStore(join(root, 'home'));
  await store.add([status], 'project', join(root, 'a'));
  await store.add([push], 'user', join(root, 'a'));
  symlinkSync('a', join(root, 'link'));
  const both = [
    { scope: 'project', rule: status },
    { scope: 'user', rule: push },
  ];
  expect(await store.list(join(root, 'a'))).toEqual(both);
  expect(await store.list(join(root, 'link'))).toEqual(both);
  expect(await store.list(join(root, 'b'))).toEqual([{ scope: 'user', rule: push }]);
  expect(statSync(join(root, 'home', 'permissions.json')).mode & 0o777).toBe(0o600);
});

test('a rule is stored once, and removed from each scope', async () => {
  const root = newRoot();
  const store = permissionStore(join(root, 'home'));
  await store.add([status, status], 'project', root);
  await store.add([status], 'project', root);
  await store.add([status], 'user', root);
  expect(await store.list(root)).toHaveLength(2);
  expect([await store.remove(status, root), await store.remove(status, root)]).toEqual([true, false]);
  expect(await store.list(root)).toEqual([]);
});

test('concurrent writers lose no rule', async () => {
  const root = newRoot();
  const rules = Array.from({ length: 8 }, (_, index) => ({ ...status, pattern: `make ${index}` }));
  await Promise.all(rules.map((rule) => permissionStore(join(root, 'home')).add([rule], 'project', root)));
  expect(await permissionStore(join(root, 'home')).list(root)).toHaveLength(8);
});

test('a malformed rule is refused, and so is a malformed file', async () => {
  const root = newRoot();
  const store = permissionStore(join(root, 'home'));
  await expect(store.add([{ ...status, pattern: 'a\nb' }], 'user', root)).rejects.toMatchObject({ code: 'invalid' });
  mkdirSync(join(root, 'home'), { recursive: true });
  writeFileSync(join(root, 'home', 'permissions.json'), '{"version":1,"user":[{"decision":"allow"}],"projects":{}}');
  await expect(store.list(root)).rejects.toMatchObject({ code: 'invalid' });
});

test('a rule in a repository has no effect', async () => {
  const root = newRoot();
  mkdirSync(join(root, 'a', '.varve'));
  writeFileSync(
    join(root, 'a', '.varve', 'permissions.json'),
    JSON.stringify({ version: 1, user: [status], projects: {} }),
  );
  expect(await permissionStore(join(root, 'home')).list(join(root, 'a'))).toEqual([]);
});
