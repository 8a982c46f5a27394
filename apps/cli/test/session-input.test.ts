import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome } from './run-varve.ts';
import { keys, leaveWindow, openSession } from './session-window.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('what is typed is changed in another editor, and comes back', async () => {
  const home = await newHome();
  const editor = join(home, 'my editor');
  await writeFile(editor, '#!/bin/sh\necho "$(cat "$1"), in full." > "$1.new" && mv "$1.new" "$1"\n');
  await chmod(editor, 0o700);
  await using server = await scriptedServer([{ text: 'Read.', expect: 'The task, in full.' }]);
  const env = { VISUAL: `'${editor}'` };
  const window = await openSession(server, home, [], { env });
  window.press('The task', keys.ctrlG);
  await window.shows('The task, in full.');
  window.press(keys.enter);
  await window.shows('Read.');
  await leaveWindow(window);
});

test('a path of an image is attached for a model that sees images, and text for another one', async () => {
  const home = await newHome();
  await mkdir(join(home, 'my shots'));
  await writeFile(join(home, 'my shots/one.png'), png);
  await writeFile(join(home, 'text.png'), 'no image');
  await using server = await scriptedServer([{ text: 'Seen.' }, { text: 'Not seen.' }]);
  for (const [model, answer] of [
    ['gpt-5', 'Seen.'],
    ['m', 'Not seen.'],
  ] as const) {
    const window = await openSession(server, home, ['--model', model]);
    const rows = await window.enter(String.raw`What is on my\ shots/one.png and text.png and none.png?`, answer);
    expect(rows.includes('m does not see images: my shots/one.png is sent as text.')).toBe(model === 'm');
    expect(rows.includes('[1 image]')).toBe(model !== 'm');
    await leaveWindow(window);
  }
  const [first, second] = server.requests.map((request) => JSON.stringify(request));
  expect(first).toContain(`data:image/png;base64,${png.toString('base64')}`);
  expect(second).not.toContain('image/png');
});

test('the agent reads a command of the person with the next message, and never a private one', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Read.', expect: 'public-42' }, { text: 'Done.' }]);
  const window = await openSession(server, home, [], { env: { SECRET_OF_ME: 'mine' } });
  expect(await window.enter('!echo public-$((40+2)); echo $SECRET_OF_ME; seq 9; exit 3', 'exit code 3')).toMatch(
    /public-42\n {2}mine\n {2}1\n/,
  );
  await window.enter('!!echo private-$((40+2))', 'private-42');
  expect(await window.enter('What is it?', 'Read.')).toMatch(
    /› What is it\?\n {2}The user ran this command:\n\n {2}\$ echo .*\n {2}… /,
  );
  await window.enter('And now?', 'Done.');
  await leaveWindow(window);
  const [first = '', second = ''] = server.requests.map((request) => JSON.stringify(request));
  expect(first).toContain('[exit code 3]');
  expect(first).not.toContain('private-42');
  expect(second.split('exit code 3')).toHaveLength(first.split('exit code 3').length);
});

test('Esc ends a command of the person, and so does leaving', async () => {
  const home = await newHome();
  await using server = await scriptedServer([]);
  const window = await openSession(server, home);
  await window.enter('!tail -f /dev/null', 'Your command is running.');
  window.press(keys.escape);
  await window.shows('interrupted');
  await window.enter('!echo $$ > pid; tail -f /dev/null', 'Your command is running.');
  expect((await leaveWindow(window)).code).toBe(0);
  const pid = Number(await readFile(join(home, 'pid'), 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('code of a reply has colours, and is complete without them', async () => {
  const home = await newHome();
  const text = 'So:\n\n```ts\nconst sum = 1; // x\n```\n\n```none\nplain const\n```\n';
  await using server = await scriptedServer([{ text }, { text }]);
  for (const [env, code] of [
    [{ NO_COLOR: '' }, '\u001B[36mconst\u001B[39m sum = \u001B[33m1\u001B[39m; \u001B[2m// x\u001B[22m'],
    [{}, 'const sum = 1; // x'],
  ] as const) {
    const window = await openSession(server, home, [], { env });
    window.press('Go', keys.enter);
    await window.writes(code);
    expect(await window.shows('  plain const\n')).toContain('  const sum = 1; // x\n');
    await leaveWindow(window);
  }
});

test('an earlier input is searched, changed and sent, and Esc keeps what was typed', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'Four.' },
    { text: 'Six.' },
    { text: 'Eight.', expect: '2 + 2?!' },
  ]);
  const first = await openSession(server, home);
  await first.enter('What is 2 + 2?', 'Four.');
  await first.enter('What is 3 + 3?', 'Six.');
  await leaveWindow(first);
  const second = await openSession(server, home);
  second.press('A draft', keys.ctrlR);
  await second.shows(/Earlier input\n> *\n→ What is 3 \+ 3\?\n {2}What is 2 \+ 2\?\n/);
  second.press(keys.escape);
  await second.shows(/─\nA draft *\n─/);
  second.press(keys.ctrlR);
  await second.shows('Earlier input');
  second.press('2+2');
  await second.shows(/> 2\+2 *\n→ What is 2 \+ 2\?\n─?[^3]*$/);
  second.press(keys.enter);
  await second.shows(/─\nWhat is 2 \+ 2\? *\n─/);
  await second.enter('!', 'Eight.');
  await leaveWindow(second);
});

test('the bell rings when a session asks and when its work ends, for a person who wants that', async () => {
  const home = await newHome();
  const push = { calls: [{ name: 'terminal', arguments: { command: 'git push' } }] };
  await using server = await scriptedServer([push, { text: 'Left.' }, push, { text: 'Left.' }]);
  for (const [env, rings] of [
    [{ VARVE_SESSION_BELL: 'true' }, [1, 2]],
    [{}, [0, 0]],
  ] as const) {
    const window = await openSession(server, home, ['--sandbox', 'off'], { env });
    const count = (): number => window.written().split('\u001B[?7l\u0007').length - 1;
    await window.enter('Publish', 'Approve this tool call?');
    const asked = count();
    await window.enter('Not now', /Left\.(?![^]*●)/);
    expect([asked, count()]).toEqual(rings);
    await leaveWindow(window);
  }
});
