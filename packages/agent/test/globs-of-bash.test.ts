import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { ruleDecision } from '../src/permissions/rule-decision.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const tool = { ...countingTool().tool(), name: 'terminal' };
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-globs-')));
afterAll(() => rmSync(workspace, { recursive: true }));
for (const directory of ['secrets', '.secrets', 'src', 'a/secrets', 's', 'exit: 5'])
  mkdirSync(join(workspace, directory), { recursive: true });
for (const file of ['secrets/key', '.secrets/key', 'src/x.ts', 'a/secrets/key', 's1', '.env', 'a/.env', 'src/x.env'])
  writeFileSync(join(workspace, file), '');
writeFileSync(join(workspace, 'exit: 5', '.env'), '');
for (const [target, path] of [
  ['secrets', 'link2'],
  ['../secrets/key', 'src/k'],
  ['../a/secrets', 'src/l'],
  ['secrets', '.link'],
] as const)
  symlinkSync(target, join(workspace, path));

const parts = ['s', 'e', 'c', 'secrets', 'link', '*', '*', '?', '[se]', '[!x]', '.', '/', 'k', 'key', 'a', 'src', '2'];
const names = ['.env', 'env', '/', '../', 'l', '*/', 'link2/', 'src/l/../', '"exit: "', '**/', '**'];
const others = ['[0-9]', '[^]x]', '{s,.s}', '@(s|l)', '~+/', '$((1+1))', '$N', '"$?"', '$#', '\\*', "'*'"];
const patterns = fc.sample(
  fc
    .array(fc.constantFrom(...parts, ...names, ...others), { minLength: 1, maxLength: 5 })
    .map((all) => all.join(''))
    // Other directories of the machine may be large.
    .filter((text) => !/^\/|\.\..*(?:\.\.|\*\*)/.test(text) && !posix.normalize(text).startsWith('..')),
  { seed: 1, numRuns: 1000 },
);

/** Returns the real paths of the files in the workspace that a real shell with an option makes of each pattern. */
function expanded(option: string): readonly (readonly string[])[] {
  const lines = patterns.map((pattern) => `(exit 5); printf '%s\\0' ${pattern}; printf '\\n'`);
  const input = `shopt -s extglob; N=2\n${lines.join('\n')}\n`;
  const output = execFileSync('bash', ['--norc', '-O', 'extglob', '-O', option], {
    cwd: workspace,
    input,
    maxBuffer: 1e8,
  }).toString();
  return output.split('\n').map((line) => line.split('\0').flatMap((path) => realPath(path)));
}

/** Returns the real path of a word relative to the workspace; what `..` means after a link is up to the system. */
function realPath(path: string): readonly string[] {
  try {
    const real = realpathSync.native(`${workspace}${sep}${path}`);
    return real.startsWith(workspace + sep) ? [relative(workspace, real)] : [];
  } catch {
    return [];
  }
}

/** Test of files at, below, or around a path. */
function near(target: string): (file: string) => boolean {
  return (file) => `${file}/`.startsWith(`${target}/`) || `${target}/`.startsWith(`${file}/`);
}

/** Test of files with a name, or below a directory of that name. */
function named(name: RegExp): (file: string) => boolean {
  return (file) => file.split(sep).some((part) => name.test(part));
}

const rules = [
  ['secrets/**', near('secrets')],
  ['link2/**', near('secrets')],
  ['.secrets/**', near('.secrets')],
  ['a/secrets/key', near('a/secrets/key')],
  ['a/*/key', near('a/secrets/key')],
  ['./.env', near('.env')],
  ['secrets', named(/^secrets$/)],
  ['**/secrets', named(/^secrets$/)],
  ['key', named(/^key$/)],
  ['.env', named(/^\.env$/)],
  ['**/.env', named(/^\.env$/)],
  ['*.env', named(/\.env$/)],
  ['**/{key,x.*}', named(/^(?:key|x\..*)$/)],
] as const;

test('a deny rule does not miss what a shell makes of wildcards, groups, numbers and links', () => {
  const [plain, deep] = [expanded('sourcepath'), expanded('globstar')];
  const missed = patterns.flatMap((pattern, at) => {
    const files = [...(plain[at] ?? []), ...(deep[at] ?? [])];
    const action = TerminalAction.create({ command: `rm -r ${pattern}` });
    const denying = rules.filter(([, isDenied]) => files.some(isDenied));
    return denying.flatMap(([rule]) => {
      const deny = [{ decision: 'deny', on: 'path', pattern: rule }] as const;
      return ruleDecision(deny, { tool, action, risk: 'LOW', workspace }) ? [] : [`${rule}: ${pattern}`];
    });
  });
  expect(missed).toEqual([]);
});
