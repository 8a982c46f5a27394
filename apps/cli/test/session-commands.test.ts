import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openSession, openWindow } from './session-window.ts';

/** The answer is shown, and nothing runs. */
const four = /^(?![^]*●)[^]*Four\./;

test('the tree has the messages of all branches, and the conversation continues after any of them', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'Four.' },
    { text: 'Six.' },
    { text: 'Eight.' },
    { text: 'Done.' },
  ]);
  const window = await openSession(server, home);
  for (const [message, answer] of [
    ['2 + 2', 'Four.'],
    ['3 + 3', 'Six.'],
  ] as const) {
    await window.enter(message, answer);
  }
  await window.enter('/rewind', 'Go back to before this message');
  window.press(keys.enter);
  const rows = await window.shows('continues from here');
  expect(rows).not.toContain('Six.');
  window.press('\u0015', '4 + 4', keys.enter);
  await window.shows('Eight.');
  await window.enter('/tree', /→ ● 2 \+ 2\n {2}├ ○ 3 \+ 3\n {2}└ ● 4 \+ 4/);
  window.press(keys.down, keys.enter);
  expect(await window.shows('Six.')).not.toContain('Eight.');
  await window.enter('And now?', 'Done.');
  await leaveWindow(window);
  const { text = '' } = server.requests.at(-1) ?? {};
  expect([text.includes('Six.'), text.includes('4 + 4')]).toEqual([true, false]);
});

test('a copy and a resumed conversation show the active branch, and not what was interrupted on another one', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'Four.' },
    { text: 'A long story begins', fault: { kind: 'hang', afterPieces: 3 } },
    { text: 'Eight.' },
  ]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', four);
  await window.enter('A story', 'A long story');
  window.press(keys.escape);
  await window.shows('Interrupted.');
  await window.enter('/rewind', '→ A story');
  window.press(keys.enter);
  await window.shows('continues from here');
  window.press('\u0015', '4 + 4', keys.enter);
  await window.shows('Eight.');
  window.press('/fork', keys.enter);
  const active = /› 2 \+ 2\n[^]*Four\.\n\s*› 4 \+ 4\n[^]*Eight\./;
  expect(await window.shows('This is a copy')).toMatch(active);
  await leaveWindow(window);
  const resumed = openWindow(['--continue'], home);
  expect(await resumed.shows('Eight.')).toMatch(active);
  await leaveWindow(resumed);
  server.assertDone();
});

test('messages that the model does not see any more are active, and the conversation goes back to them', async () => {
  const home = await newHome();
  const replies = Array.from({ length: 8 }, (_, index) => ({ text: `Reply ${index}. ${'It is long. '.repeat(40)}` }));
  await using server = await scriptedServer([...replies, { text: 'They counted.' }]);
  const window = await openSession(server, home);
  for (const index of replies.keys()) {
    window.press(`Message ${index}`, keys.enter);
    // Nothing runs.
    await window.shows(new RegExp(String.raw`^(?![^]*●)[^]*Reply ${index}\.`));
  }
  await window.enter('/condense', 'They counted.');
  expect(await window.enter('/tree', 'Continue after this message')).not.toContain('○');
  window.press(keys.escape);
  await window.shows(/─\n\n─/);
  await window.enter('/rewind', 'Go back to before this message');
  window.press(keys.up, keys.up, keys.enter);
  await window.shows('continues from here');
  await window.shows(/\nMessage 1\n/);
  await leaveWindow(window);
});

test('the effort changes the next request', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Six.' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', four);
  await window.enter('/effort most', 'It is one of none, minimal, low, medium, high.');
  await window.enter('/effort high', 'The effort is now: high');
  await window.enter('3 + 3', 'Six.');
  await leaveWindow(window);
  expect(server.requests.map(({ text }) => text.includes('"reasoning_effort":"high"'))).toEqual([false, true]);
});

test.for([
  ['/cost', 'agent  1 model call'],
  ['/status', 'waiting calls 0'],
  ['/context', 'the window of m is unknown'],
  ['/skills', 'No file gives instructions'],
  ['/mcp', 'There are no servers.'],
  ['/history', /2 \+ 2[^]*Four\.[^]*2 \+ 2[^]*Four\./],
] as const)('%s shows what it is about', async ([command, shown]) => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', four);
  await window.enter(command, shown);
  await leaveWindow(window);
});

test('/sandbox changes the walls of the conversation, which /export writes into a file', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', four);
  await window.enter('/sandbox off', 'sandbox: off');
  await window.enter(`/export ${join(home, 'log.json')}`, 'Exported ');
  await leaveWindow(window);
  const imported = await runVarve(['import', join(home, 'log.json'), '--store', `dir:${join(home, 'logs')}`], { home });
  expect(imported.code).toBe(0);
});

test('the last reply is copied to the clipboard of the terminal', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: '**Vier** é' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', 'Vier');
  window.press('/copy', keys.enter);
  await window.writes(`\u001B]52;c;${Buffer.from('**Vier** é').toString('base64')}\u0007`);
  await leaveWindow(window);
});

test('sub-agents are listed with what they did', async () => {
  const home = await newHome();
  await mkdir(join(home, '.varve'));
  await writeFile(join(home, '.varve/config.json'), '{ "tools": { "add": ["task"] } }');
  await using server = await scriptedServer([
    { calls: [{ name: 'task', arguments: { prompt: 'Look', description: 'a look' } }] },
    { text: 'Looked.' },
    { text: 'All done.' },
  ]);
  const window = await openSession(server, home, ['--confirm', 'never']);
  await window.enter('Go', 'All done.');
  await window.enter('/agents', /^general-purpose\n[^]* · [0-9a-f]{8} · a look/m);
  await leaveWindow(window);
});

test('a Markdown file is a command with arguments: of a workspace, once a person has trusted it', async () => {
  const home = await newHome();
  const workspace = join(home, 'work');
  await mkdir(join(home, '.varve/commands'), { recursive: true });
  await mkdir(join(workspace, '.claude/commands'), { recursive: true });
  await writeFile(join(home, '.varve/commands/review.md'), '---\nargument-hint: FILE\n---\nReview $1 carefully.');
  await writeFile(join(workspace, '.claude/commands/release.md'), 'Cut a release.');
  await using server = await scriptedServer([
    { text: 'Reviewed.', expect: 'Review a.js carefully.' },
    { text: 'Released.', expect: 'Cut a release.' },
  ]);
  const first = await openSession(server, home, ['--workspace', workspace]);
  await first.enter('/release', 'There is no command /release.');
  await first.enter('/review a.js', 'Reviewed.');
  await leaveWindow(first);
  const { stderr } = await runVarve(['trust', workspace], { home });
  expect(stderr).toContain('.claude/commands/release.md (new)');
  const [, hash = ''] = /--hash (?<hash>[0-9a-f]+)/.exec(stderr) ?? [];
  await runVarve(['trust', workspace, '--hash', hash], { home });
  const second = await openSession(server, home, ['--workspace', workspace]);
  await second.enter('/help', 'Cut a release.');
  second.press('/rel\t');
  await second.shows('→ release');
  second.press(keys.enter);
  await second.shows('Released.');
  await leaveWindow(second);
});

test('the model of a profile is shown before the first message', async () => {
  const home = await newHome();
  await using server = await scriptedServer([]);
  await runVarve(['profile', 'save', 'mine', 'model=my-model', `base_url=${server.url}`], { home });
  await runVarve(['profile', 'use', 'mine'], { home });
  const window = openWindow([], home);
  await window.shows(/^my-model · mode: auto/m);
  await leaveWindow(window);
});
