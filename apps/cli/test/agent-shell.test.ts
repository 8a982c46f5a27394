import { spawnSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome, runVarve } from './run-varve.ts';

const main = appMain('cli');
const startedByAgentFile = fileURLToPath(new URL('../src/home/started-by-agent.ts', import.meta.url));

const refused = [
  ['trust', '--hash', '0'.repeat(64)],
  ['trust', 'rm'],
  ['permissions', 'add', '--user', 'allow', 'tool', 'terminal'],
  ['permissions', 'remove', 'allow', 'tool', 'terminal'],
  ['config', 'set', 'confirmation.policy', 'never'],
  ['config', 'unset', 'confirmation.policy'],
  ['config', 'edit'],
  ['secret', 'set', 'NAME'],
  ['secret', 'remove', 'NAME'],
  ['secret', 'key', 'file'],
  ['profile', 'save', 'name', 'model=m'],
  ['profile', 'rename', 'one', 'other'],
  ['profile', 'use', 'name'],
  ['profile', 'remove', 'name'],
  ['key'],
  ['init'],
  ['serve'],
  ['acp'],
  ['skill', 'install', 'x'],
  ['plugin', 'remove', 'x'],
  ['scrub'],
  ['gc'],
  ['mcp-server'],
  ['mcp', 'test', 'x'],
  ['mcp', 'login', 'x'],
  ['mcp', 'logout', 'x'],
  ['run', '--confirm', 'never', 'task'],
  ['run', '--sandbox', 'off', 'task'],
  ['run', '--set', 'confirmation.policy=never', 'task'],
  ['run', '--set', 'sandbox.hosts=["a.example"]', 'task'],
  ['run', '--resume', 'id', '--approve', 'digest'],
];

test.each(refused.map((args) => [args.join(' '), args] as const))('an agent cannot run %s', async (_name, args) => {
  const home = await newHome();
  const { code, stderr } = await runVarve(args, { home, env: { VARVE_AGENT: '1' } });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('this shell was started by an agent. Run it in another terminal.') as string,
  });
});

test.each(['VARVE_CONFIRMATION_POLICY=never', 'VARVE_SANDBOX_PROFILE=off'])('nor run with %s', async (variable) => {
  const [name = '', value = ''] = variable.split('=');
  const env = { VARVE_AGENT: '1', [name]: value };
  const { code, stderr } = await runVarve(['run', 'task'], { home: await newHome(), env });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(variable) as string });
});

test.each(['config', 'permissions', 'trust list', 'secret list', 'profile', 'ls', 'run --help'])(
  'an agent can run %s',
  async (name) => {
    const { stderr } = await runVarve(name.split(' '), { home: await newHome(), env: { VARVE_AGENT: '1' } });
    expect(stderr).not.toContain('agent');
  },
);

/** Runs a command of bash in the shell of an agent, outside of a sandbox. */
const agentShell = (home: string, command: string): string => {
  const varve = `"${process.execPath}" "${main}"`;
  const env = processEnvironment(home, { VARVE_AGENT: '1' });
  return spawnSync('bash', ['-c', `${command.replace('varve', varve)}; true`], { env, encoding: 'utf8' }).stderr;
};

test.skipIf(process.platform !== 'linux').for(['env -u VARVE_AGENT', 'unset VARVE_AGENT;', 'env -i'])(
  'nor by `%s`',
  async (prefix) => {
    const stderr = agentShell(await newHome(), `${prefix} varve trust --hash x`);
    expect(stderr).toContain('this shell was started by an agent');
  },
);

test('this program is an ancestor of programs that have replaced the shell without its mark', async () => {
  const home = await newHome();
  const program = join(home, 'ancestor');
  const inner = `import(${JSON.stringify(startedByAgentFile)}).then(({ startedByAgent }) => console.log(startedByAgent(process.argv[1])))`;
  const shell = `exec env -i "${process.execPath}" -e '${inner}' "${program}"`;
  await writeFile(
    program,
    `process.exitCode = require('child_process').spawnSync('bash', ['-c', process.argv[2]], { stdio: 'inherit' }).status`,
  );
  const run = (args: readonly string[]) =>
    spawnSync(process.execPath, args, { env: processEnvironment(home), encoding: 'utf8' }).stdout;
  expect(run([program, shell])).toBe('true\n');
  await copyFile(program, `${program}-other`);
  expect(run([`${program}-other`, shell])).toBe('false\n');
});

test
  .skipIf(process.platform !== 'linux')
  .for(['timeout 60', 'nice', 'bash -c \'"$@"; true\' bash', 'node wrapper.cjs'])(
  'a person can run them with %s',
  async (starter) => {
    const home = await newHome();
    const wrapper = `process.exitCode = require('child_process').spawnSync(process.execPath, process.argv.slice(3), { stdio: 'inherit' }).status`;
    await writeFile(join(home, 'wrapper.cjs'), wrapper);
    const node = `"${process.execPath}"`;
    const varve = `${node} "${main}"`;
    const command = `${starter.replace('node', node)} ${varve} permissions add --user allow tool terminal; true`;
    const env = processEnvironment(home);
    const { stderr } = spawnSync('bash', ['-c', command], { cwd: home, env, encoding: 'utf8' });
    expect(stderr).not.toContain('agent');
  },
);

test('a person can run them', async () => {
  const args = ['permissions', 'add', '--user', 'allow', 'tool', 'terminal'];
  expect(await runVarve(args, { home: await newHome() })).toMatchObject({ code: 0 });
});
