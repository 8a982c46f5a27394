import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptedServer, type ScriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openWindow } from './session-window.ts';

const script = fileURLToPath(new URL('../../../packages/tools/test/support/sdk-server.ts', import.meta.url));

/** Reply of a model that calls a tool of the server. */
const tool = (name: string) => ({ calls: [{ name: `mcp__docs__${name}`, arguments: {} }] });

async function openSession(server: ScriptedServer, home: string) {
  const options = ['--base-url', server.url, '--model', 'm', '--sandbox', 'off', '--confirm', 'never'];
  const window = openWindow(options, home);
  await window.shows('sandbox: ');
  return window;
}

test('a resource is completed before the first message, and its text is sent', async () => {
  const home = await newHome();
  const starts = join(home, 'starts');
  await runVarve(['mcp', 'add', '--env', `STARTS=${starts}`, 'docs', process.execPath, script], { home });
  await using server = await scriptedServer([{ text: 'Oats it is.', expect: 'Buy oats.' }, { text: 'I see none.' }]);
  const window = await openSession(server, home);
  window.press('Read @docs:');
  const rows = await window.shows('today: Notes of today.');
  await expect(`${rows}\n`).toMatchFileSnapshot('golden/session/server-resources.txt');
  window.press('today');
  await window.shows('Read @docs:today');
  window.press('\t');
  await window.shows('Read @docs:notes://today');
  window.press(keys.enter, keys.enter);
  await window.shows('Oats it is.');
  const last = await window.enter('And @docs:image://dot, @docs:notes://gone and @other:x', 'I see none.');
  expect(last).toContain('m does not see images: those of @docs:image://dot are not sent.');
  expect(last).toContain('@docs:notes://gone is only text. The server docs failed to answer');
  expect(last).not.toContain('@other:x is');
  await leaveWindow(window);
  // The connection of the completion is that of the conversation.
  expect(await readFile(starts, 'utf8')).toBe('started\n');
});

test('a prompt of a server is completed with its arguments, and its messages are sent', async () => {
  const home = await newHome();
  await runVarve(['mcp', 'add', 'docs', process.execPath, script], { home });
  await using server = await scriptedServer([{ text: 'Fine.', expect: 'Assistant: In a very kind tone?' }]);
  const window = await openSession(server, home);
  window.press('/docs:');
  await window.shows('docs:review');
  window.press('r');
  await window.shows(/→ docs:review +file \[tone\] — Reviews a file\./);
  window.press(keys.enter);
  await window.shows('Type what is missing: /docs:review file [tone]');
  await window.enter('/docs:review a.ts very kind', 'Fine.');
  await window.enter('/help', '/docs:review file [tone]');
  expect(window.written()).not.toContain('cm0=');
  await leaveWindow(window);
  server.assertDone();
});

test('no server of a directory starts before a person trusts it', async () => {
  const home = await newHome();
  const mark = join(home, 'started');
  const args = ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`];
  await mkdir(join(home, 'project'));
  const file = join(home, 'project', '.mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers: { docs: { command: process.execPath, args } } }));
  await using server = await scriptedServer([{ text: 'Hello.' }]);
  const options = ['--base-url', server.url, '--model', 'm', '--sandbox', 'off', '-w', join(home, 'project')];
  const window = openWindow(options, home);
  await window.shows('sandbox: ');
  await window.enter('/docs:r', 'There is no command /docs:r.');
  await window.enter('@docs:a', 'Hello.');
  await leaveWindow(window);
  await expect(writeFile(mark, '', { flag: 'wx' })).resolves.toBe(undefined);
});

test('tools that a server adds are offered from the next step on, and a call of a removed one is answered', async () => {
  const home = await newHome();
  await runVarve(['mcp', 'add', 'docs', process.execPath, script], { home });
  await using server = await scriptedServer([
    tool('grow'),
    tool('fresh'),
    { ...tool('shrink'), expect: 'I am new.' },
    { ...tool('fresh'), expect: 'It is gone after ' },
    { text: 'Done.', expect: 'There is no tool mcp__docs__fresh. The tools are: ' },
    { text: 'Still done.' },
  ]);
  const options = ['--base-url', server.url, '--model', 'm', '--sandbox', 'off', '--confirm', 'never'];
  const run = await runVarve(['run', 'Go.', ...options], { home });
  expect([run.code, run.stdout]).toEqual([0, 'Done.\n']);
  const [, id = ''] = /conversation (\w+)/.exec(run.stderr) ?? [];
  const log = await runVarve(['show', id, '--json'], { home });
  const lists = log.stdout.split('\n').filter((line) => line.includes('varve.toolset'));
  expect(lists.map((line) => line.includes('mcp__docs__fresh'))).toEqual([false, true]);
  expect((await runVarve(['verify', id], { home })).code).toBe(0);
  const resumed = await runVarve(['run', '--resume', id, 'Again.', ...options], { home });
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Still done.\n']);
});

test('a conversation whose server lists fewer tools than before is resumed', async () => {
  const home = await newHome();
  await runVarve(['mcp', 'add', 'docs', process.execPath, script], { home });
  await using server = await scriptedServer([
    tool('grow'),
    { text: 'Done.' },
    tool('fresh'),
    { text: 'Still done.', expect: 'There is no tool mcp__docs__fresh.' },
  ]);
  const options = ['--base-url', server.url, '--model', 'm', '--sandbox', 'off', '--confirm', 'never'];
  const run = await runVarve(['run', 'Go.', ...options], { home });
  expect(run.code).toBe(0);
  const [, id = ''] = /conversation (\w+)/.exec(run.stderr) ?? [];
  const resumed = await runVarve(['run', '--resume', id, 'Again.', ...options], { home });
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Still done.\n']);
});
