import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow as leave, openSession, openWindow, rejectCall } from './session-window.ts';

const command = (text: string) => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

/** Rows without those at the end that are empty. */
async function expectScreen(rows: string, name: string): Promise<void> {
  await expect(`${rows}\n`).toMatchFileSnapshot(`golden/session/${name}.txt`);
}

test('a task is streamed, its edit is a difference, and the last lines resume it', async () => {
  const home = await newHome();
  await writeFile(join(home, 'sum.js'), 'const add = (a, b) => a - b;\nexport { add };\n');
  const edit = {
    command: 'str_replace',
    path: join(home, 'sum.js'),
    old_str: 'a - b',
    new_str: 'a + b',
  };
  const steps: readonly ScriptedStep[] = [
    { text: 'I read **sum.js** first.', calls: [{ name: 'terminal', arguments: { command: 'cat sum.js' } }] },
    { calls: [{ name: 'file_editor', arguments: edit }] },
    { calls: [{ name: 'finish', arguments: { message: '# Fixed\n\n- it adds\n- `sum.js` only' } }] },
  ];
  await using server = await scriptedServer(steps);
  const window = await openSession(server, home, ['--confirm', 'never', '--sandbox', 'off']);
  const rows = await window.enter('Fix the sum', /- sum\.js only\n[^●]*$/);
  await expectScreen(rows, 'task');
  const { code, stderr } = await leave(window);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Resume with: .*varve resume [0-9a-f]{32}.*\n$/);
  expect(await readFile(join(home, 'sum.js'), 'utf8')).toContain('a + b');
});

test('a call is approved once, or rejected with a reason that the model reads', async () => {
  const home = await newHome();
  const steps: readonly ScriptedStep[] = [
    command('git push origin main'),
    { ...command('git push origin topic'), expect: 'not to main' },
    { text: 'I leave it.' },
  ];
  await using server = await scriptedServer(steps);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  window.press('Publish', keys.enter);
  await expectScreen(await window.shows('Approve this tool call?'), 'approval');
  await rejectCall(window, 'not to main', '✗ rejected: not to main');
  await window.shows('│ $ git push origin topic');
  window.press('y', keys.enter);
  await window.shows('I leave it.');
  expect(window.history()).toContain('fatal: ');
  await leave(window);
  server.assertDone();
});

test('a command is changed before it runs: the call is rejected with the result of the other command', async () => {
  const home = await newHome();
  const steps: readonly ScriptedStep[] = [command('git push origin main'), { text: 'Thanks.', expect: 'no-42' }];
  await using server = await scriptedServer(steps);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', 'Approve this tool call?');
  window.press(keys.down, keys.down, keys.down, keys.enter);
  await window.shows(/─\ngit push origin main *\n─/);
  window.press(keys.escape);
  await window.shows('→ run this command');
  window.press(keys.enter);
  await window.shows(/─\ngit push origin main *\n─/);
  window.press('\u0001', '\u001Bf', '\u001Bf', ' --dry-run', '\u0005', ' || echo no-$((40+2))');
  await window.shows(/git push --dry-run origin main \|\| echo no-\$\(\(40\+2\)\)/);
  window.press(keys.enter);
  await window.shows('Thanks.');
  expect(window.history()).toMatch(
    /rejected: The user changed the arguments of this call[^]*no-42[^]*\[exit code: 0\]/,
  );
  await leave(window);
  server.assertDone();
});

test('a message that is sent while the agent works is read before its next step', async () => {
  const gate = Promise.withResolvers<void>();
  const home = await newHome();
  await using server = await scriptedServer([
    { ...command('echo one'), gate: gate.promise },
    { text: 'Both are done.', expect: 'one' },
    { text: 'Seen.', expect: 'And two' },
  ]);
  const window = await openSession(server, home, ['--confirm', 'never']);
  await window.enter('One', 'waiting for the model');
  await window.enter('And two', '› And two');
  await window.shows(/● waiting for the model · \d[^]*The agent reads the message before its next step\./);
  gate.resolve();
  await window.shows(/Both are done\.|Seen\./);
  await leave(window);
});

test('results of parallel calls name their calls, and a failed command shows its status', async () => {
  const home = await newHome();
  const [first, second] = ['echo one; (exit 3)', 'echo two'].map((text) => command(text).calls);
  const calls = [...(first ?? []), ...(second ?? [])];
  await using server = await scriptedServer([{ calls }, { text: 'Both ran.' }]);
  const window = await openSession(server, home, ['--confirm', 'never', '--sandbox', 'off']);
  const rows = await window.enter('Run', 'Both ran.');
  expect(rows).toMatch(/↳ \$ echo one; \(exit 3\)\n {2}one\n {2}exit 3\n/);
  expect(rows).toMatch(/↳ \$ echo two\n {2}two\n/);
  await leave(window);
});

test('rejections of parallel calls name their calls', async () => {
  const home = await newHome();
  const calls = ['a', 'b'].flatMap((branch) => command(`git push origin ${branch}`).calls);
  await using server = await scriptedServer([{ calls }, { text: 'I leave it.' }]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', '(1 of 2)');
  await window.enter('Not this one.', '(2 of 2)');
  const rows = await window.enter('Nor that.', 'I leave it.');
  expect(rows).toContain('↳ $ git push origin a\n  ✗ rejected: Not this one.');
  expect(rows).toContain('↳ $ git push origin b\n  ✗ rejected: Nor that.');
  await leave(window);
});

test('a reply is on the screen once where the terminal counts more columns for it', async () => {
  const home = await newHome();
  const words = 'go 👨‍👩‍👧‍👦 and 👨‍👩‍👧‍👦 apples '.repeat(16);
  await using server = await scriptedServer([{ text: `${words}end.` }]);
  const window = await openSession(server, home, [], { columns: 60 });
  await window.enter('Talk', 'end.');
  expect(window.history().match(/apples/g)).toHaveLength(16);
  await leave(window);
});

test('Esc interrupts a reply, and what arrived of it stays', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'The first of many words', fault: { kind: 'hang', afterPieces: 4 } },
    { text: 'Continued.' },
  ]);
  const window = await openSession(server, home);
  await window.enter('Talk', 'The first');
  window.press(keys.escape);
  await window.shows('Interrupted.');
  expect(await window.shows('The first')).toContain('the reply was not completed');
  await window.enter('/continue', 'Continued.');
  await leave(window);
});

test('the conversation is resumed in its directory with its transcript, and goes back before a message', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Six.' }, { text: 'Eight.', expect: '4 + 4' }]);
  const first = await openSession(server, home);
  await first.enter('2 + 2', 'Four.');
  await leave(first);
  const window = await openSession(server, home, ['--continue']);
  await window.shows('Four.');
  await window.enter('3 + 3', 'Six.');
  await window.enter('/rewind', 'Go back to before this message');
  window.press(keys.enter);
  await window.shows('continues from here');
  window.press('\u0015', '4 + 4', keys.enter);
  await window.shows('Eight.');
  const request = JSON.stringify(server.requests.at(-1));
  expect(request).toContain('2 + 2');
  expect(request).not.toContain('3 + 3');
  await leave(window);
});

test('a conversation is chosen from those that match what is typed', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Six.' }]);
  for (const [task, answer] of [
    ['2 + 2', 'Four.'],
    ['3 + 3', 'Six.'],
  ] as const) {
    const window = await openSession(server, home);
    await window.enter(task, answer);
    await leave(window);
  }
  const window = openWindow(['--resume'], home);
  await window.shows(/→ 3 \+ 3[^]*2 \+ 2/);
  window.press('2 +');
  await window.shows('→ 2 + 2');
  window.press(keys.enter);
  await window.shows('Four.');
  await leave(window);
  const other = openWindow(['resume'], home);
  await other.shows('→ 3 + 3');
  other.press(keys.escape);
  expect((await other.ended).code).toBe(130);
});

test('a copy has an id of its own, and the original stays', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', 'Four.');
  await window.enter('/fork', 'This is a copy');
  const rows = await window.enter('/sessions', /^[0-9a-f]{8} .*\n[0-9a-f]{8} .*2 \+ 2$/m);
  expect(rows.match(/› 2 \+ 2/g)).toHaveLength(1);
  await leave(window);
});

test('commands of the program work in a session with a store of its own', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }]);
  const window = await openSession(server, home, ['--store', `dir:${join(home, 'logs')}`]);
  await window.enter('2 + 2', 'Four.');
  await window.enter('/sessions', /^[0-9a-f]{8} .*2 \+ 2$/m);
  await window.enter('/permissions', 'There are no rules');
  await leave(window);
});

test('no text of the model or of a program changes the terminal', async () => {
  const home = await newHome();
  const hostile = '\u001B]0;owned\u0007\u001B[2J\u009B2J\u202E';
  const print = String.raw`printf '\033]0;owned\007\033[2J\033[31mred\n'`;
  await using server = await scriptedServer([
    { text: `**a** ${hostile}`, reasoning: hostile, ...command(print) },
    { calls: [{ name: `t${hostile}`, arguments: { [hostile]: hostile } }] },
    { text: `[link](http://x/${hostile}) \`${hostile}\`\n\n\`\`\`\n${hostile}\n\`\`\`\n\nThe end.` },
  ]);
  const window = await openSession(server, home, ['--confirm', 'never']);
  await window.enter('Go', 'The end.');
  await leave(window);
  for (const part of ['\u001B]0;', '\u001B[2J\u009B', '\u009B', '\u202E', '\u001B[31m']) {
    expect(window.written()).not.toContain(part);
  }
});

test('help lists every command, also on a narrow terminal', async () => {
  const home = await newHome();
  await using server = await scriptedServer([]);
  const window = await openSession(server, home, [], { columns: 40, rows: 60 });
  window.press('/help', keys.enter);
  await expectScreen(await window.shows('Ctrl-C twice'), 'help-40');
  await leave(window);
});

test('without a terminal the command without arguments prints its help, and others are refused', async () => {
  const home = await newHome();
  expect(await runVarve([], { home })).toMatchObject({ code: 2, stdout: '' });
  const refused = await runVarve(['--continue', '--store', 'memory:'], { home });
  expect(refused.code).toBe(5);
  expect(await runVarve(['--model', 'm'], { home })).toMatchObject({ code: 2 });
});

test('after Esc, messages that were queued are named, and /continue has them answered', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    { text: 'A long story begins', fault: { kind: 'hang', afterPieces: 3 } },
    { text: 'Both.', expect: 'And two' },
  ]);
  const window = await openSession(server, home);
  await window.enter('A story', 'A long story');
  await window.enter('And one', '› And one');
  await window.enter('And two', '› And two');
  window.press(keys.escape);
  const rows = await window.shows('Your last 2 messages are not answered: they wait for /continue');
  expect(rows.match(/interrupted/gi)).toHaveLength(1);
  await window.enter('/continue', 'Both.');
  await leave(window);
  server.assertDone();
});
