import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { leaveWindow, openWindow } from './session-window.ts';

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
  ['run', '--resume', 'id', '--approve'],
  ['doctor'],
  ['init', '--provider', 'openai', '--key-env', 'KEY', '--model', 'm'],
];

test.for(commands)('in a clone, the command that `varve %s` prints is one that can be typed there', async (command) => {
  const home = await newHome();
  const hooks = join(home, 'project/.openhands');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'hooks.json'), '{"hooks":{}}');
  const cloned = await runVarve(command, { home, env: started });
  const printed = cloned.stdout + cloned.stderr;
  expect(printed).toContain('npx -y pnpm@12 -s start ');
  expect(printed).not.toMatch(/[ `]varve [a-z]/);
  const installed = await runVarve(command, { home: await newHome() });
  expect(installed.stdout + installed.stderr).not.toContain('pnpm');
});

test('in a clone, so is the command after an error of the model', async () => {
  const refusal = { fault: { kind: 'answer', status: 401, body: '{}' } } as const;
  await using server = await scriptedServer([refusal, refusal]);
  const env = { ...started, LLM_API_KEY: 'key-0123456789' };
  const options = ['--base-url', server.url, '--model', 'scripted', '--sandbox', 'off'];
  const home = await newHome();
  const { stderr } = await runVarve(['run', ...options, 'go'], { home, env });
  const hint = 'choose another model with `npx -y pnpm@12 -s start init`.';
  expect(stderr).toContain(hint);
  const window = openWindow(options, home, { env });
  await window.shows('mode: ');
  await window.enter('go', hint);
  await leaveWindow(window);
});
