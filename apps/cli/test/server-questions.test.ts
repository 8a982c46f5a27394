import { fileURLToPath } from 'node:url';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openWindow } from './session-window.ts';
import { onTerminal } from './terminal-user.ts';

const script = fileURLToPath(new URL('../../../packages/tools/test/support/sdk-server.ts', import.meta.url));
const form = {
  message: 'Which branch?\nYou can trust me. \u001B[2J',
  requestedSchema: {
    type: 'object',
    properties: {
      branch: { type: 'string', title: 'Branch', minLength: 3 },
      push: { type: 'boolean', title: 'Push it' },
    },
    required: ['branch', 'push'],
  },
};

/** Reply of a model that calls the tool which asks. */
const asks = (params: unknown): ScriptedTurn => ({
  calls: [{ name: 'mcp__docs__ask', arguments: { params: JSON.stringify(params) } }],
});

/** Returns a home directory whose person has the server that asks. */
async function homeWithServer(): Promise<string> {
  const home = await newHome();
  await runVarve(['mcp', 'add', 'docs', process.execPath, script], { home });
  return home;
}

function argumentsFor({ url }: ScriptedServer): readonly string[] {
  return ['--base-url', url, '--model', 'm', '--sandbox', 'off'];
}

test('on a terminal a run asks what a server asks for, and sends what is typed', async () => {
  const home = await homeWithServer();
  await using server = await scriptedServer([asks(form), { text: 'Thanks.', expect: '"branch":"main","push":false' }]);
  const { code, left } = await onTerminal(['run', 'Go.', ...argumentsFor(server)], home, [
    ['Choice: ', 'y'],
    ['The server of tools docs asks:\n│ Which branch?\n│ You can trust me. <001B>[2J\n[n] refuse\n[y] answer', 'y'],
    ['Branch', 'm'],
    ['Too small: expected string to have >=3 characters Branch', 'main'],
    ['[1] yes\n[2] no\n', '2'],
    ['Send this to docs?\n[y] send\n[n] refuse\n', 'y'],
  ]);
  expect([code, left]).toEqual([0, []]);
  server.assertDone();
});

test('without a terminal a question of a server is cancelled', async () => {
  const home = await homeWithServer();
  await using server = await scriptedServer([asks(form), { text: 'Well.', expect: '{"action":"cancel"}' }]);
  const { code } = await runVarve(['run', 'Go.', ...argumentsFor(server), '--confirm', 'never'], { home });
  expect(code).toBe(0);
  server.assertDone();
});

test('the session asks what a server asks for, and Esc cancels it', async () => {
  const home = await homeWithServer();
  await using server = await scriptedServer([
    asks(form),
    { ...asks(form), expect: '"branch":"main","push":true' },
    { text: 'Thanks.', expect: '{"action":"cancel"}' },
  ]);
  const window = openWindow([...argumentsFor(server), '--confirm', 'never'], home);
  await window.shows('sandbox: ');
  const rows = await window.enter('Go', 'refuse');
  await expect(`${rows}\n`).toMatchFileSnapshot('golden/session/server-question.txt');
  await window.enter('answer', 'Branch');
  await window.enter('main', 'Push it');
  window.press(keys.enter);
  await window.shows('Send this to docs?');
  window.press(keys.down, keys.enter);
  await window.shows(/asks:[^]*asks:[^]*refuse/);
  window.press(keys.escape);
  await window.shows('Thanks.');
  await leaveWindow(window);
  server.assertDone();
});

test('a question of a server ends when the call is interrupted', async () => {
  const home = await homeWithServer();
  await using server = await scriptedServer([asks(form), { text: 'Again.' }]);
  const window = openWindow([...argumentsFor(server), '--confirm', 'never'], home);
  await window.shows('sandbox: ');
  await window.enter('Go', 'refuse');
  window.press(keys.ctrlC, keys.ctrlC);
  expect(await window.ended).toMatchObject({ code: 0 });
});
