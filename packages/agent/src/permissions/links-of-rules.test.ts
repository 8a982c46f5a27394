import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decisionOf } from '../testing/decision-of.ts';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-links-')));
afterAll(() => rmSync(workspace, { recursive: true }));
for (const directory of ['a/secrets', 'src', 'many']) mkdirSync(join(workspace, directory), { recursive: true });
writeFileSync(join(workspace, 'a/key'), '');
writeFileSync(join(workspace, 'a/secrets/key'), '');
symlinkSync('a/secrets', join(workspace, 'link'));
symlinkSync('a/secrets', join(workspace, '.hidden'));
symlinkSync('../a/secrets', join(workspace, 'src/deep'));
symlinkSync('secrets', join(workspace, 'a/inner'));
for (let at = 0; at < 300; at++) symlinkSync('../src', join(workspace, `many/${at}`));
symlinkSync('../a/secrets', join(workspace, 'many/zz'));

const decision = (pattern: string, command: string) => decisionOf(`deny path ${pattern}`, command, workspace);

test.for([
  ['link/**', 'rm -r a/secrets'],
  ['link/**', 'rm -r a'],
  ['link/**', 'cat a/sec*/key'],
  ['link/**', 'cat a/secrets/key'],
  ['link/key', 'tar cf x.tar a'],
  ['a/*/key', 'rm -r a/secrets'],
  ['a/secrets/**', 'cat l*/key'],
  ['secrets', 'cat l*/key'],
  ['secrets', 'cat */deep/k*'],
  ['a/key', 'cat src/*/../key'],
  ['secrets', 'shopt -s globstar; cat **/link/k*'],
  ['a/secrets/key', 'shopt -s globstar; rm -r a/**/secrets'],
  ['a/secrets/key', 'shopt -s globstar; cat **/key'],
  ['secrets', 'rm -r */deep'],
  ['**/secrets', 'cat s*/d*/key'],
  ['a/secrets/**', 'rm -r many/*'],
  ['a/secrets/**', 'shopt -s dotglob; rm -r *n'],
  ['a/secrets/**', 'rm -r *hidde[n]'],
  ['a/key', 'cat link/../key'],
  ['a/key', 'cd link; cat ../key'],
  ['a/key', `cat ${join(workspace, 'src/deep')}/../key`],
  ['a/key', 'echo x > src/deep/../key'],
  ['a/secrets/**', 'cat src/deep/../inn*/key'],
] as const)('a deny rule for %s sees %s, whose path leads there through links', ([pattern, command]) => {
  expect(decision(pattern, command)).toMatch(/^(?:ask|deny)$/);
});

test('many wildcards are compared with a limited number of links', () => {
  const words = Array.from({ length: 12 }, (_, at) => `${'**/'.repeat(100)}x${at}`);
  expect(decision('link/**', `cat ${words.join(' ')}`)).toBe('ask');
});

test.for([
  ['link/**', 'rm -r src a/x'],
  ['a/*/key', 'ls a/secrets/x src'],
  ['secrets', 'cat sr*/x m*/1/x'],
  ['a/key', 'cat link/../../key a/secrets/x'],
] as const)('a deny rule for %s does not ask about %s', ([pattern, command]) => {
  expect(decision(pattern, command)).toBeUndefined();
});
