import { expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { shellRisk } from './shell-risk.ts';
import { limits } from '../shell/words/limits.ts';
import { readShell } from '../shell/read-shell.ts';

const tool = countingTool().tool();
const riskOf = (command: string) =>
  shellRisk().assess({ tool, action: TerminalAction.create({ command }), risk: 'LOW' });

/** Units that nest or repeat syntax, words and scripts. */
const units = [
  'a|',
  'a | b && ',
  '$(',
  '`',
  '(',
  '{ ',
  'if ',
  '((',
  '$((',
  '${a:-',
  '"$(',
  'a;',
  '[[ ',
  '! ',
  'a && ',
  '<(',
  '<<E ',
  '{a,',
  '{a,b}',
  '@(',
  '>x ',
  'x=(',
  'case ',
  'f(){ ',
  "$'",
  '\\`',
  '$((1+',
  'for ',
  'coproc ',
  'select x in ',
  'until ',
  'a[',
  '${a[',
  '${a/',
  'while ',
  'sudo ',
  'env A=1 ',
  'xargs ',
  'rm ',
  'bash -c ',
  'eval ',
  'x rm ',
  'x bash ',
  '$a',
  '$a ',
  'a=$a$a;',
  'a=b$a;b=a$b;',
  'cd a;',
  'cd /a/..;',
  'cd $a;',
  'echo x > y;',
  '{ ',
  'x "a b" ',
  "X='rm x' ",
  '$((a+',
  'a | (b | (',
  '{ a | ',
  '-e ',
  '-',
  'git -c a=b ',
  'find -exec ',
  'find -exec a ; ',
  'ls | xargs -I{} {} ',
  'find {} -exec {} ; ',
  'parallel {} ::: ',
  'awk ',
  "sed 's/a/b/;",
  'curl x | ',
  '*',
  '/a*',
  '~',
  '../',
  '"',
  "'",
  '\\',
  '\n',
  '\0',
  '\u{1f600}',
] as const;

test.for(units)('the work on repetitions of %j is limited and grows linearly', (unit) => {
  const work = (size: number): number => readShell(unit.repeat(Math.ceil(size / unit.length))).work;
  expect(work(40_000)).toBeLessThan(limits.work * 1.2);
  // Four times the input takes at most six times the work.
  expect(work(8000)).toBeLessThan(6 * work(2000));
});

test.for<readonly [string, string]>([
  ['a pipeline', 'a|'.repeat(20_000)],
  ['coprocesses', 'coproc '.repeat(6000)],
  ['substitutions', '$('.repeat(40_000)],
  ['groups', `${'('.repeat(300)}ls${')'.repeat(300)}`],
  ['a calculation', `echo $((${'1+'.repeat(20_000)}1))`],
  ['wrappers', `${'sudo '.repeat(500)}ls`],
  ['scripts', Array.from({ length: 12 }).reduce<string>((script) => `eval ${JSON.stringify(script)}`, 'ls')],
  ['characters', `echo ${'x'.repeat(limits.length)}`],
])('too many %s are unknown', ([, command]) => {
  expect(riskOf(command)?.risk).toBe('UNKNOWN');
});

test('many changes of the directory are unknown and limited, also for the rules', () => {
  const script = Array.from({ length: 4000 }, (_, index) => `cd a${index}; rm b${index}`).join('; ');
  const { commands, unknowns } = readShell(script);
  expect(unknowns).toContainEqual(expect.objectContaining({ kind: 'unknown.size' }));
  expect(commands.at(-1)?.paths.directories.size).toBe(limits.directories);
  expect(riskOf(script)?.risk).toBe('UNKNOWN');
});

test.for<readonly [string, string]>([
  ['rm -rf x', 'HIGH'],
  ['bash < x', 'UNKNOWN'],
])('many lesser findings before %j do not hide it', ([command, risk]) => {
  const lesser = Array.from({ length: 2 * limits.reasons }, (_, index) => `rm a${index}`).join('; ');
  const verdict = riskOf(`${lesser}; ${command}`);
  expect(verdict).toMatchObject({ risk });
  expect(verdict?.reasons[0]?.risk).toBe(risk);
  expect(verdict?.reasons).toHaveLength(limits.reasons);
});

test('values that grow with each variable are limited', () => {
  const chain = Array.from({ length: 2000 }, (_, index) => `a${index + 1}="$a${index} $a${index}"`).join('; ');
  expect(readShell(`a0=b; ${chain}; echo $a2000`).work).toBeLessThan(limits.work * 1.2);
  expect(riskOf(`a0=b; ${chain}; rm $a2000`)?.risk).toBe('UNKNOWN');
  const nested = 'xargs -I{} '.repeat(8) + '{} '.repeat(40);
  expect(riskOf(`echo ${'/a '.repeat(60)} | ${nested}`)?.risk).toBe('UNKNOWN');
  expect(riskOf(`parallel ${'{}'.repeat(5000)} ::: ${'a '.repeat(5000)}`)?.risk).toBe('UNKNOWN');
});

test('danger in a long command is found, and a long file is written without a question', () => {
  const lines = 'const x = "$(rm -rf /)"; // `it\'s`\n'.repeat(2000);
  expect(riskOf(`cat > a.ts <<'EOF'\n${lines}EOF\n`)).toEqual({ risk: 'LOW', reasons: [] });
  expect(riskOf(`cat > a.ts <<'EOF'\n${lines}EOF\nrm -rf x`)?.risk).toBe('HIGH');
  expect(riskOf(`${'echo x;'.repeat(5000)} rm -rf x`)?.risk).toBe('HIGH');
});

test('tens of thousands of variables are followed, on one line and on many', () => {
  const assignments = Array.from({ length: 28_000 }, (_, index) => `a${index.toString(36)}=`);
  for (const separator of [';', '\n']) {
    const script = assignments.join(separator);
    expect(riskOf(script)).toEqual({ risk: 'LOW', reasons: [] });
    expect(riskOf(`${script}rm;$a${(27_999).toString(36)} x`)?.risk).toBe('MEDIUM');
  }
});
