import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openSession } from './session-window.ts';

const create = (path: string) => ({
  calls: [{ name: 'file_editor', arguments: { command: 'create', path, file_text: 'x\n' } }],
});

test('in plan mode only reading runs; after it the agent changes what it planned, and the last turn is undone', async () => {
  const home = await newHome();
  const file = join(home, 'new.txt');
  const read = { calls: [{ name: 'terminal', arguments: { command: 'ls' } }] };
  await using server = await scriptedServer([
    { ...read, expect: 'Plan mode for this message' },
    { ...create(file), expect: 'kept.txt' },
    { text: 'Step 1: new.txt', expect: 'plan mode, in which only reading runs' },
    create(file),
    { text: 'Written.' },
  ]);
  await writeFile(join(home, 'kept.txt'), '');
  const window = await openSession(server, home, ['--sandbox', 'off']);
  window.press(keys.shiftTab);
  await window.shows('mode: plan');
  await window.enter('Add a file', 'Step 1: new.txt');
  expect(existsSync(file)).toBe(false);
  window.press(keys.shiftTab, keys.shiftTab);
  await window.shows('mode: edits');
  await window.enter('Do that', 'Written.');
  expect(existsSync(file)).toBe(true);
  expect(server.requests.at(-1)?.text.match(/Plan mode for this message/g)).toHaveLength(1);
  await window.enter('/undo', /delete new\.txt[^]*The conversation and the files/);
  await window.enter('', /Files are as they were[^]*\nDo that/);
  expect(existsSync(file)).toBe(false);
  await leaveWindow(window);
  server.assertDone();
});

test('a run in plan mode changes nothing', async () => {
  const home = await newHome();
  const file = join(home, 'new.txt');
  await using server = await scriptedServer([
    { ...create(file), expect: 'Plan mode for this message' },
    { text: 'A plan.', expect: 'plan mode, in which only reading runs' },
  ]);
  const args = ['--base-url', server.url, '--model', 'm', '--confirm', 'plan', '--sandbox', 'off'];
  expect(await runVarve(['run', 'Add a file', ...args], { home })).toMatchObject({ code: 0, stdout: 'A plan.\n' });
  expect(existsSync(file)).toBe(false);
});

test('commands of other systems work: /compact, /diff, /init and /review', async () => {
  const home = await newHome();
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', home, ...args], { env: { HOME: home } });
  git('init', '--quiet');
  await writeFile(join(home, 'a.txt'), 'one\n');
  git('add', 'a.txt');
  git('-c', 'user.name=n', '-c', 'user.email=e@e', 'commit', '--quiet', '-m', 'One');
  await writeFile(join(home, 'a.txt'), 'two\n');
  for (const name of ['core.fsmonitor', 'filter.x.clean']) git('config', name, 'touch ran; cat');
  await writeFile(join(home, '.git/info/attributes'), '* filter=x\n');
  await using server = await scriptedServer([
    { text: 'Described.', expect: 'AGENTS.md' },
    { text: 'Reviewed.', expect: 'The change: HEAD~1.' },
  ]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('/compact', 'There is no conversation yet');
  await window.enter('/diff', /-one\n\s*\+two/);
  expect(existsSync(join(home, 'ran'))).toBe(false);
  await window.enter('/init', 'Described.');
  await window.enter('/review HEAD~1', 'Reviewed.');
  expect(server.requests.at(-1)?.text).not.toContain('+two');
  await leaveWindow(window);
  server.assertDone();
});
