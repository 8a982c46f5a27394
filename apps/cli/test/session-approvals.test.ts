import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer } from '@varve/llm/testing';
import { newHome } from './run-varve.ts';
import { keys, leaveWindow, openSession, openWindow, rejectCall, type SessionWindow } from './session-window.ts';

const push = { calls: [{ name: 'terminal', arguments: { command: 'git push origin main' } }] };

/** Approves a command for the session in a first run. */
async function approvedWindow(server: ScriptedServer): Promise<SessionWindow> {
  const home = await newHome();
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', 'Approve this tool call?');
  window.press('s', keys.enter);
  await window.shows('Once.');
  return window;
}

test('an approval for the session holds for later messages, also with another model', async () => {
  await using server = await scriptedServer([
    push,
    { text: 'Once.' },
    push,
    { text: 'Twice.' },
    push,
    { text: 'Third.' },
  ]);
  const window = await approvedWindow(server);
  await window.enter('Again', 'Twice.');
  await window.enter('/model other', 'other · ');
  await window.enter('And again', 'Third.');
  expect(window.history().match(/fatal: /g)?.length).toBeGreaterThanOrEqual(3);
  await leaveWindow(window);
  server.assertDone();
});

test.for(['/clear', '/fork', '/permissions auto'])(
  'after %s the same command is asked about again',
  async (command) => {
    await using server = await scriptedServer([push, { text: 'Once.' }, push, { text: 'Left.', expect: 'not now' }]);
    const window = await approvedWindow(server);
    window.press(command, keys.enter);
    await window.enter('Publish again', 'Approve this tool call?');
    await rejectCall(window, 'not now', 'Left.');
    await leaveWindow(window);
    server.assertDone();
  },
);

test('Shift-Tab changes what is asked about while the agent works', async () => {
  const home = await newHome();
  const gate = Promise.withResolvers<void>();
  const create = (name: string) => ({
    calls: [{ name: 'file_editor', arguments: { command: 'create', path: join(home, name), file_text: 'x' } }],
  });
  await using server = await scriptedServer([
    { ...create('one'), gate: gate.promise },
    create('two'),
    { calls: [{ name: 'terminal', arguments: { command: 'cat two > three' } }] },
    { text: 'Left.', expect: 'not now' },
  ]);
  const window = openWindow(['--base-url', server.url, '--model', 'm'], home);
  await window.shows('mode: auto');
  await window.enter('Work', 'waiting for the model');
  window.press(keys.shiftTab, keys.shiftTab);
  await window.shows('mode: ask');
  gate.resolve();
  await window.shows('Approve this tool call?');
  window.press(keys.shiftTab);
  await window.shows('mode: edits');
  window.press('y', keys.enter);
  await window.shows('$ cat two > three');
  await window.shows('Approve this tool call?');
  await rejectCall(window, 'not now', 'Left.');
  window.press(keys.shiftTab);
  await window.shows('mode: auto');
  await window.enter('/permissions never', 'mode: never');
  await leaveWindow(window);
  const next = openWindow(['--continue'], home);
  await next.shows('mode: never');
  await leaveWindow(next);
  server.assertDone();
});

test('a changed mode ends approvals for the session while the agent works', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await scriptedServer([
    push,
    { text: 'Once.' },
    push,
    { ...push, gate: gate.promise },
    { text: 'Left.', expect: 'not now' },
  ]);
  const window = await approvedWindow(server);
  await window.enter('Again, twice', 'waiting for the model');
  window.press(keys.shiftTab, keys.shiftTab);
  await window.shows('mode: ask');
  gate.resolve();
  await window.shows('Approve this tool call?');
  await rejectCall(window, 'not now', 'Left.');
  await leaveWindow(window);
  server.assertDone();
});

test('keys of a message that is being typed do not answer a question, and the message is kept', async () => {
  const home = await newHome();
  const gate = Promise.withResolvers<void>();
  await using server = await scriptedServer([
    { ...push, gate: gate.promise },
    { text: 'Left.', expect: 'not now' },
    { text: 'Because.', expect: 'Say why' },
  ]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', 'waiting for the model');
  window.press('S');
  gate.resolve();
  await window.shows('Press Enter to answer; what you type is kept.');
  window.press('ay why');
  await window.shows('Say why');
  window.press(keys.enter);
  await window.shows(/^(?![^]*Press Enter to answer)[^]*decide later/);
  await window.enter('not now', /Left\.[^]*Say why/);
  window.press(keys.enter);
  await window.shows('Because.');
  await leaveWindow(window);
  server.assertDone();
});

test('decisions before one that is postponed are kept, and /continue asks about the others', async () => {
  const calls = ['a', 'b', 'c'].map((branch) => ({
    name: 'terminal',
    arguments: { command: `git push origin ${branch}` },
  }));
  await using server = await scriptedServer([{ calls }, { text: 'Pushed.', expect: 'Not c either.' }]);
  const home = await newHome();
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', '$ git push origin a');
  window.press('y', keys.enter);
  await window.shows('(2 of 3)');
  await window.enter('Not b.', '(3 of 3)');
  await window.enter('q', '1 call waits: /continue asks again');
  await leaveWindow(window);
  const again = openWindow(['--continue', '--sandbox', 'off'], home);
  await again.shows('1 call waits for your approval.');
  await again.enter('n', '✗ rejected: Not b.');
  await again.enter('/continue', 'Approve this tool call?');
  await rejectCall(again, 'Not c either.', 'Pushed.');
  expect(again.history()).toContain('fatal: ');
  await leaveWindow(again);
  server.assertDone();
});

test('a question waits until the one before it is answered', async () => {
  const home = await newHome();
  const gate = Promise.withResolvers<void>();
  await using server = await scriptedServer([{ ...push, gate: gate.promise }, { text: 'Pushed.' }]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', 'waiting for the model');
  await window.enter('/rewind', 'Go back to before this message');
  gate.resolve();
  await window.shows('$ git push origin main');
  window.press(keys.escape);
  expect(await window.shows('Approve this tool call?')).not.toContain('Go back');
  window.press('y', keys.enter);
  await window.shows('Pushed.');
  await leaveWindow(window);
});

test.for([
  ['stop, that is wrong', 'key by key'],
  ['Sorry, no', 'in one piece'],
  ['yes but later', 'key by key'],
  ['always ask me first', 'in one piece'],
  ['e is the wrong branch', 'in one piece'],
] as const)('the text %j approves nothing, typed %s: it is the reason of a rejection', async ([text, how]) => {
  const home = await newHome();
  await using server = await scriptedServer([push, { text: 'Left.', expect: text }]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', 'Approve this tool call?');
  if (how === 'in one piece') window.press(`${text}\r`);
  else {
    let typed = '';
    for (const key of text.split('')) {
      typed += key;
      window.press(key);
      await window.shows(`> ${typed.trimEnd()}`);
    }
    await window.enter('', 'Left.');
  }
  await window.shows('Left.');
  expect(window.history()).toContain(`✗ rejected: ${text}`);
  await leaveWindow(window);
  server.assertDone();
});

test('Enter alone, a letter of no answer and Esc approve nothing', async () => {
  const home = await newHome();
  await using server = await scriptedServer([push, { text: 'Left.', expect: 'rejected' }]);
  const window = await openSession(server, home, ['--sandbox', 'off']);
  await window.enter('Publish', '→ reject');
  await window.enter('k', 'type a reason of more than one word');
  window.press(keys.escape);
  await window.shows('→ reject');
  window.press(keys.enter);
  await window.shows('Left.');
  await leaveWindow(window);
  server.assertDone();
});
