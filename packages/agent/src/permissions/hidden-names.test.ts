import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decisionOf } from '../testing/decision-of.ts';

const workspace = mkdtempSync(join(tmpdir(), 'varve-hidden-'));
afterAll(() => rmSync(workspace, { recursive: true }));

const decision = (rule: string, command: string) => decisionOf(`deny ${rule}`, command, workspace);

test.for([
  'shopt -s dotglob',
  'shopt -qs dotglob nullglob',
  'GLOBIGNORE=x',
  'bash -O dotglob -c "cat *"',
  'shopt -s "$X"',
])('%s is asked about, after which wildcards match hidden files', (command) => {
  expect(decision('path .env', command)).toBe('ask');
  expect(decision('path .env', 'shopt -s nullglob extglob; shopt -u dotglob; cat *')).toBeUndefined();
});

test('options that make a directory of the name of a variable are asked about', () => {
  expect(decision('path secrets/**', 'shopt -s cdable_vars; cd D; cat key')).toBe('ask');
});

test.for([
  `find . -name '*.env' -delete`,
  `find . -name "*env*" -delete`,
  `grep -r KEY --include='*.env' src`,
  `grep -r KEY --include '?env' src`,
  `rg KEY -g '**/*.env'`,
  `git add '*.env'`,
  'git rm \\*.env',
  `P='*env'; git checkout -- "$P"`,
  `git add ':(glob)src/*.env'`,
  `sudo git add '*.env'`,
])('%s is asked about, whose program also finds hidden files', (command) => {
  for (const rule of ['path .env', 'path **/.env']) expect(decision(rule, command), rule).toBe('ask');
});

test.for([
  'git add *.env',
  'P=*env; git add $P',
  `grep -r KEY --include='*.ts' src`,
  `find . -path '*/node_modules/*' -prune -o -name '*.ts' -print`,
  `rg KEY -g '**/*.ts' -g '!*.lock'`,
  `find . -name '*' -type f`,
  `echo '*.env'`,
])('%s is not asked about, which names no hidden file', (command) => {
  for (const rule of ['path .env', 'path **/.env']) expect(decision(rule, command), rule).toBeUndefined();
});
