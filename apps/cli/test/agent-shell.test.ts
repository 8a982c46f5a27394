import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

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
    stderr: expect.stringContaining('this shell was started by an agent') as string,
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

test('a person can run them', async () => {
  const args = ['permissions', 'add', '--user', 'allow', 'tool', 'terminal'];
  expect(await runVarve(args, { home: await newHome() })).toMatchObject({ code: 0 });
});
