import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';
import { leaveWindow, openWindow } from './session-window.ts';

test('a message of several words starts a session with it, also after options; its page is HTML', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'Four.', expect: 'What is 2 + 2?' },
    { text: 'Six.', expect: 'And 3 + 3?' },
    { text: 'Eight.', expect: 'And 4 + 4?' },
  ]);
  const env = { LLM_BASE_URL: server.url, LLM_MODEL: 'm', LLM_API_KEY: 'k' };
  const first = openWindow(['What is 2 + 2?'], home, { env });
  expect(await first.shows('Four.')).toContain('› What is 2 + 2?');
  await leaveWindow(first);
  const second = openWindow(['--continue', 'And 3 + 3?'], home, { env });
  expect(await second.shows('Six.')).toContain('› What is 2 + 2?');
  await second.enter('/export talk.html', 'Exported');
  const { stderr } = await leaveWindow(second);
  const [id = ''] = /[0-9a-f]{32}/.exec(stderr) ?? [];
  const third = openWindow(['resume', id, 'And 4 + 4?'], home, { env });
  expect(await third.shows('Eight.')).toContain('› What is 2 + 2?');
  await leaveWindow(third);
  expect(await readFile(join(home, 'talk.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  server.assertDone();
});

test.for([
  [['Fix the test'], 2, 'The interactive session needs a terminal.\n`varve run` works'],
  [['--resume', 'abc'], 5, 'No conversation matches "abc".'],
  [['resume', 'abc'], 5, 'No conversation matches "abc".'],
  [['ls', '--search', 'abc', '-w', '/none'], 0, 'No conversation matches --search abc -w /none.'],
  [['trust', '/none'], 2, 'There is no directory /none.\n'],
  [['mcp', 'add'], 2, 'Run "varve mcp add --help" for usage.'],
] as const)('%j ends with status %i', async ([args, status, message]) => {
  const { code, stderr } = await runVarve(args, { home: await newHome() });
  expect([code, stderr]).toEqual([status, expect.stringContaining(message)]);
});
