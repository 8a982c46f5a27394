import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const started = { npm_lifecycle_event: 'start', npm_config_user_agent: 'pnpm/12.0.0 npm/? node/v24.0.0' };

const commands = [
  ['ls'],
  ['config'],
  ['permissions'],
  ['mcp'],
  ['mcp', 'test', 'docs'],
  ['mcp', 'login', 'docs'],
  ['profile'],
  ['secret'],
  ['trust', 'project'],
  ['run'],
  ['init', '--provider', 'openai', '--key-env', 'KEY', '--model', 'm'],
];

test.for(commands)('in a clone, the command that `varve %s` prints is one that can be typed there', async (command) => {
  const home = await newHome();
  const hooks = join(home, 'project/.openhands');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'hooks.json'), '{"hooks":{}}');
  const cloned = await runVarve(command, { home, env: started });
  expect(cloned.stderr).toContain('npx -y pnpm@12 -s start ');
  expect(cloned.stderr).not.toMatch(/[ `]varve [a-z]/);
  const installed = await runVarve(command, { home: await newHome() });
  expect(installed.stderr).not.toContain('pnpm');
});
