import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FileEditorAction, TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { decisionOf } from '../testing/decision-of.ts';
import { protectedFinding } from './protected-paths.ts';
import { ruleDecision } from './rule-decision.ts';

const tool = { ...countingTool().tool(), name: 'terminal' };
const workspace = mkdtempSync(join(tmpdir(), 'varve-computed-'));
afterAll(() => rmSync(workspace, { recursive: true }));

function denied(pattern: string, command: string, on: 'path' | 'host' = 'path'): string | undefined {
  return decisionOf(`deny ${on} ${pattern}`, command, workspace);
}

const counted = [
  '$((1+1))',
  '$[1+1]',
  '$((n))',
  '${#a}',
  '$#',
  '$?',
  '$RANDOM',
  '$(nproc)',
  '$(date +%d)',
  '{1..3000}',
];
const spelled = ['@(secret|x)2', '+(s)ecret2', '?(x)secret2', '*(s)ecret2', '!(a)', 'sec@(ret)2', 's+([a-z])2'];

test.for([
  ...counted.flatMap((number) => [`rm secret${number}`, `rm "./secret${number}"`, `cat a sub/secret${number}`]),
  ...counted.map((number) => `n=${number}; cat secret$n`),
  'n=1; ((n++)); cat secret$n',
  'declare -i n=1+1; cat secret$n',
  'for i in $(seq 3); do rm secret$i; done',
  'for ((i = 0; i < 3; i++)); do rm secret$i; done',
  ...spelled.flatMap((name) => [`cat ${name}`, `cat sub/${name}`, `shopt -s extglob; cat < ${name}`]),
])('a deny rule for a file asks about %s, which may name it', (command) => {
  expect(denied('secret2', command)).toMatch(/^(?:ask|deny)$/);
  expect(denied('**/secret2', command)).toMatch(/^(?:ask|deny)$/);
});

test.for([
  ...['@(.varve)', '@(.var)ve', '+(.)varve', '.+(v|a|r|e)', '?(.)varve', '.@(openhands|agents)'].flatMap((name) => [
    `rm -r ${name}`,
    `cp x ${name}/config.json`,
  ]),
  'cp x .@(gi)t/config',
])('a person is asked about %s, which may change the configuration', (command) => {
  const action = TerminalAction.create({ command });
  expect(protectedFinding({ tool, action, risk: 'LOW', workspace }, [])).toBeDefined();
});

test('a name with brackets that is no pattern is the name of a file', () => {
  for (const path of ['src/(group)/page.tsx', 'src/@modal/(.)photo/page.tsx']) {
    const action = FileEditorAction.create({ command: 'create', path, file_text: 'x' });
    const rules = [{ decision: 'allow', on: 'path', pattern: 'src/**' }] as const;
    expect(ruleDecision(rules, { tool, action, risk: 'LOW', workspace })?.decision).toBe('allow');
    expect(denied('secret2', `cat '${path}'`)).toBeUndefined();
  }
});

const addresses = [
  '10.1',
  '10.0.1',
  '167772161',
  '0xa000001',
  '012.0.0.1',
  '0xa.0.0.1',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
];
const calculatedAddresses = ['$((0+1))', '$#', '$(nproc)', '{1..3000}'].map((number) => `10.0.0.${number}`);

test.for(
  [...addresses, ...calculatedAddresses].flatMap((host) => [
    `curl ${host}`,
    `curl http://${host}/x`,
    `curl ${host}:80`,
    `curl me@${host}`,
  ]),
)('a deny rule for an address of numbers asks about another spelling: %s', (command) => {
  expect(denied('10.0.0.1', command, 'host')).toMatch(/^(?:ask|deny)$/);
});

test.for([
  ...addresses.flatMap((host) => [
    `curl //${host}`,
    `curl http:/${host}/`,
    `curl --proxy=${host} http://a`,
    `curl a --connect-to ::${host}:80`,
    `curl a --resolve a:80:${host}`,
    `socat - TCP:${host}:80`,
    `exec 3<>/dev/tcp/${host}/80`,
    `bash -c ">/dev/tcp/${host}/80"`,
    `mysql -h${host}`,
    `./x --host=${host} --y`,
  ]),
  'curl １０.０.０.１',
  'ping ::ffff:a00:1',
  'ping ::ffff:10.0.0.1',
  'ssh me@::ffff:a00:1',
  'nc 0:0:0:0:0:ffff:a00:1 80',
])('a deny rule for an address of numbers asks about it anywhere in a word: %s', (command) => {
  expect(denied('10.0.0.1', command, 'host')).toMatch(/^(?:ask|deny)$/);
});

test('a deny rule for an address of numbers is compared with thousands of numbers in little time', () => {
  const many = Array.from({ length: 9000 }, (_, at) => `1.${at}:2`).join(' ');
  expect(denied('10.0.0.1', `echo ${many}`, 'host')).toBeUndefined();
  expect(denied('10.0.0.1', `echo ${':1'.repeat(10_000)}`, 'host')).toBeUndefined();
});

test.for([
  'sleep 10',
  'head -n 100 f',
  'git show 1234567',
  'curl 10.0.0.2',
  'kill $((1 + 1))',
  'seq 1 $((2 * 2))',
  'echo v1.2.3',
  'date +%H:%M:%S; echo 12:30:00 10:01',
  'git show 10a1f0c',
  'sed -n 10,100p f; head -10 f',
  'npm i x@10.0.2-beta.2 y@^10.0.0',
])('a deny rule for an address does not ask about other numbers: %s', (command) => {
  expect(denied('10.0.0.1', command, 'host')).toBeUndefined();
});

test.for(['grep -r KEY .', 'cp -r . copy', 'rm -rf *', 'tar cf x ../*'])(
  'a deny rule for the path of a file asks about a directory around it: %s',
  (command) => {
    expect(denied('./secret2', command)).toBe('ask');
  },
);

const wildcards = ['secrets/**', 'secrets/*', './secrets/*.key', 'secrets/**/key', 'secrets/k?y'];
test.for(
  wildcards.flatMap((pattern) =>
    ['rm -r secrets', 'grep -r KEY ./secrets/', 'cp -r secrets copy', 'tar cf x .'].map(
      (one) => [pattern, one] as const,
    ),
  ),
)('a deny rule for %s asks about %s, which may contain such files', ([pattern, command]) => {
  expect(denied(pattern, command)).toBe('ask');
  expect(denied(pattern, 'rm -r secrets2')).toBeUndefined();
});

const rulesBelow = ['secrets/**', 'secrets/key', './secrets', '.secrets/**'];

test.for(
  [
    'npm test; echo "exit: $?"',
    'echo "count: $(ls | wc -l)"',
    'rm a*.log',
    'cat src/*.ts dist/[ab]?.js',
    'for i in 1 2; do echo "x$((i + 1))"; done',
  ].flatMap((command) => rulesBelow.map((pattern) => [command, pattern] as const)),
)('%s names no file that a deny rule for %s could mean', ([command, pattern]) => {
  expect(denied(pattern, command)).toBeUndefined();
});

test.for(
  [
    'rm -r *',
    'rm -r *s',
    'rm -r [.s]*ec*',
    'cat [.s]*/key',
    'cat $X',
    'cp -r {.,}secrets x',
    'cat ~-/key',
    'ls *(s|.s)*',
  ].flatMap((command) => ['secrets/**', '.secrets/**'].map((pattern) => [command, pattern] as const)),
)('%s may name files of a deny rule for %s', ([command, pattern]) => {
  expect(denied(pattern, command)).toBe('ask');
});
