import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { ruleDecision } from '../src/permissions/rule-decision.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const tool = { ...countingTool().tool(), name: 'terminal' };
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-globs-')));
afterAll(() => rmSync(workspace, { recursive: true }));
for (const directory of ['secrets', '.secrets', 'src', 'a/secrets', 's'])
  mkdirSync(join(workspace, directory), { recursive: true });
for (const file of ['secrets/key', '.secrets/key', 'src/x.ts', 'a/secrets/key', 's1', 'exit: 5'])
  writeFileSync(join(workspace, file), '');
symlinkSync('secrets', join(workspace, 'link2'));
symlinkSync('../secrets/key', join(workspace, 'src/k'));

const parts = ['s', 'e', 'c', 'secrets', 'link', '*', '*', '?', '[se]', '[!x]', '.', '/', 'k', 'key', 'a', 'src', '2'];
const others = ['[0-9]', '{s,.s}', '@(s|l)', '~+/', '$((1+1))', '$N'];
const patterns = fc.sample(
  fc
    .array(fc.constantFrom(...parts, ...others), { minLength: 1, maxLength: 5 })
    .map((all) => all.join(''))
    .filter((text) => !text.startsWith('/')),
  { seed: 1, numRuns: 2000 },
);

/** Returns the real paths of the files in the workspace that a real shell makes of each pattern. */
function expanded(): readonly (readonly string[])[] {
  const lines = patterns.map((pattern) => `printf '%s\\0' ${pattern}; printf '\\n'`);
  const input = `shopt -s extglob; N=2\n${lines.join('\n')}\n`;
  const output = execFileSync('bash', ['--norc', '-O', 'extglob'], { cwd: workspace, input }).toString();
  return output.split('\n').map((line) => line.split('\0').flatMap((path) => realPath(path)));
}

function realPath(path: string): readonly string[] {
  try {
    const real = realpathSync(join(workspace, path));
    return real.startsWith(workspace + sep) ? [real] : [];
  } catch {
    return [];
  }
}

test('a deny rule does not miss what a shell makes of wildcards, groups, numbers and links', () => {
  const files = expanded();
  for (const [rule, target] of [
    ['secrets/**', 'secrets'],
    ['.secrets/**', '.secrets'],
    ['a/secrets/key', 'a/secrets/key'],
  ] as const) {
    const denied = join(workspace, target) + sep;
    const missed = patterns.filter((pattern, at) => {
      const isReached = files[at]?.some((file) => (file + sep).startsWith(denied) || denied.startsWith(file + sep));
      const action = TerminalAction.create({ command: `rm -r ${pattern}` });
      const rules = [{ decision: 'deny', on: 'path', pattern: rule }] as const;
      return isReached && !ruleDecision(rules, { tool, action, risk: 'LOW', workspace });
    });
    expect(missed).toEqual([]);
  }
});
