import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openSession } from './session-window.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Creates a home with files, and a link out of it. */
async function homeWithFiles(): Promise<string> {
  const home = await newHome();
  const elsewhere = await newHome();
  await writeFile(join(elsewhere, 'private.txt'), 'never-read');
  await mkdir(join(home, 'src/my dir'), { recursive: true });
  await writeFile(join(home, 'src/a.txt'), 'first line\nsecond line\n');
  await writeFile(join(home, 'src/my dir/b.txt'), 'line of b\n');
  await symlink(join(elsewhere, 'private.txt'), join(home, 'link.txt'));
  return home;
}

const message = 'See @src/a.txt, @"src/my dir/b.txt", @src @none @link.txt @../x @/etc/passwd @.. and a@src/a.txt.';

test('files after @ are a part of the message, as the agent reads them, and others are only text', async () => {
  const home = await homeWithFiles();
  await using server = await scriptedServer([{ text: 'Read.' }, { text: 'Read, too.' }]);
  const model = ['--base-url', server.url, '--model', 'm'];
  const window = await openSession(server, home);
  const rows = await window.enter(message, 'Read.');
  expect(rows).toContain('The user attached @src/a.txt:');
  await window.shows(/^(?![^]*●)/);
  await window.enter('/rewind', '→ See @src/a.txt');
  window.press(keys.enter);
  expect(await window.shows(/─\nSee @src/)).not.toContain('The user attached');
  await leaveWindow(window);
  await runVarve(['run', ...model, message], { home });
  for (const { text: request } of server.requests) {
    expect(request.match(/The user attached/g)).toHaveLength(3);
    for (const part of [
      String.raw`2\tsecond line`,
      String.raw`1\tline of b`,
      String.raw`/src/my dir/\n`,
      'See @src/a.txt',
    ])
      expect(request).toContain(part);
    expect(request).not.toContain('never-read');
    expect(request).not.toContain('root:');
  }
});

test('nothing is attached for standard input next to a task, and for messages of a program', async () => {
  const home = await homeWithFiles();
  await using server = await scriptedServer([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const model = ['--base-url', server.url, '--model', 'm', '-w', home];
  await runVarve(['run', ...model, 'Explain'], { home, stdin: 'at @src/a.txt' });
  const line = JSON.stringify({ type: 'message', text: '@src/a.txt' });
  await runVarve(['run', ...model, '--input-format', 'stream-json'], { home, stdin: `${line}\n` });
  await runVarve(['run', ...model, '--tools', 'terminal', 'See @src/a.txt'], { home });
  expect(server.requests).toHaveLength(3);
  for (const request of server.requests) expect(JSON.stringify(request)).not.toContain('first line');
});

test('Tab completes files and directories of the workspace after @, also in a message', async () => {
  const home = await newHome();
  await mkdir(join(home, 'work dir'));
  await writeFile(join(home, 'work dir', 'my notes.txt'), 'a note');
  await writeFile(join(home, 'work dir', 'my \u009B31mnotes'), '');
  await using server = await scriptedServer([{ text: 'Read.', expect: 'a note' }, { text: 'Read, too.' }]);
  const env = { VARVE_SANDBOX_PROFILE: 'off' };
  const window = await openSession(server, home, [], { env });
  window.press('Read @wo');
  await window.shows('→ work dir/');
  window.press('\t');
  await window.shows('Read @"work dir/"');
  window.press('my', '\t');
  await window.shows('Read @"work dir/my notes.txt"');
  window.press(keys.enter);
  await window.shows('Read.');
  // A name that is typed to its end is sent with one Enter.
  await writeFile(join(home, 'calc.js'), '');
  window.press('Read @cal');
  await window.shows('→ calc.js');
  window.press('c.js');
  await window.shows(/^(?![^]*→ calc)[^]*─\nRead @calc\.js *\n─/);
  window.press(keys.enter);
  await window.shows('Read, too.');
  expect(window.written()).not.toContain('\u009B');
  await leaveWindow(window);
  server.assertDone();
});

test('a message with the name of a pipe is sent', async () => {
  const home = await newHome();
  execFileSync('mkfifo', [join(home, 'shot.png')]);
  await using server = await scriptedServer([{ text: 'Seen.', expect: 'See shot.png' }]);
  const env = { VARVE_SANDBOX_PROFILE: 'off' };
  const window = await openSession(server, home, ['--model', 'gpt-5'], { env });
  await window.enter('See shot.png', 'Seen.');
  await leaveWindow(window);
});

test('a program of the workspace is not one for the clipboard', async () => {
  const home = await newHome();
  await writeFile(join(home, 'wl-paste'), `#!/bin/sh\n${base64}\n`, { mode: 0o700 });
  await using server = await scriptedServer([]);
  // A path from the directory of this process, and not from any other.
  const path = `node_modules/../${relative(process.cwd(), home)}`;
  const env = { PATH: path, VARVE_SANDBOX_PROFILE: 'off' };
  const window = await openSession(server, home, ['--model', 'gpt-5'], { env });
  window.press(keys.ctrlV);
  await window.shows('An image of the clipboard needs one of');
  await leaveWindow(window);
});

/** Directory with a program in place of one of the clipboard. */
async function pathWith(program: string, script: string): Promise<string> {
  const path = join(await newHome(), 'my programs');
  await mkdir(path);
  await writeFile(join(path, program), `#!/bin/sh\n${script}\n`);
  await chmod(join(path, program), 0o700);
  return path;
}

const base64 = `/usr/bin/base64 -d <<END\n${png}\nEND`;
const hex = Buffer.from(png, 'base64').toString('hex').toUpperCase();

test.for([
  ['wl-paste', `case "$*" in *image/png) ${base64}\nesac`],
  ['osascript', `echo '«data PNGf${hex}»'`],
  ['powershell.exe', `echo '${png}'`],
] as const)('Ctrl-V attaches the image of the clipboard: %s', async ([program, script]) => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Seen.' }]);
  const env = { PATH: await pathWith(program, script), VARVE_SANDBOX_PROFILE: 'off' };
  const window = await openSession(server, home, ['--model', 'gpt-5'], { env });
  window.press('What is ', keys.ctrlV);
  await window.shows(/varve-image-\S+\/clipboard\.png/);
  window.press(keys.enter);
  expect(await window.shows('Seen.')).toContain('[1 image]');
  await leaveWindow(window);
  expect(JSON.stringify(server.requests[0])).toContain(`data:image/png;base64,${png}`);
});

test('without an image or a program for the clipboard, Ctrl-V prints why', async () => {
  const home = await newHome();
  await using server = await scriptedServer([]);
  for (const [path, problem] of [
    [await pathWith('xclip', 'echo text; exit 1'), 'The clipboard has no image.'],
    [home, 'An image of the clipboard needs one of wl-paste, xclip'],
  ] as const) {
    const env = { PATH: path, VARVE_SANDBOX_PROFILE: 'off' };
    const window = await openSession(server, home, ['--model', 'gpt-5'], { env });
    window.press(keys.ctrlV);
    await window.shows(problem);
    await leaveWindow(window);
  }
});

test('images of the clipboard are removed with the session', async () => {
  const home = await newHome();
  await using server = await scriptedServer([]);
  const env = { PATH: await pathWith('wl-paste', base64), VARVE_SANDBOX_PROFILE: 'off' };
  const window = await openSession(server, home, ['--model', 'gpt-5'], { env });
  window.press(keys.ctrlV);
  const [, name = ''] = /(varve-image-\w+)/.exec(await window.shows(/varve-image-\S+\/clipboard\.png/)) ?? [];
  expect(await readdir(tmpdir())).toContain(name);
  await leaveWindow(window);
  expect(await readdir(tmpdir())).not.toContain(name);
});
