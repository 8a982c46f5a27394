import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedServer, type ScriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome, runVarve } from './run-varve.ts';
import { keys, leaveWindow, openSession, openWindow, rejectCall } from './session-window.ts';

const main = appMain('cli');
const command = (text: string) => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

/** Runs a task in a process of its own, and kills it when it has stored a text. */
async function killedAt(text: string, server: ScriptedServer, home: string, args: readonly string[]): Promise<void> {
  const run = ['run', 'Go', '--base-url', server.url, '--model', 'm', '--json', ...args];
  const child = spawn(process.execPath, [main, ...run], {
    cwd: home,
    env: processEnvironment(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes(text)) continue;
    child.kill('SIGKILL');
    break;
  }
  await once(child, 'close');
}

test('after a kill the session shows the call of which the result is unknown, and continues there', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('read -r line'), { text: 'I look again.', expect: 'unknown' }]);
  await killedAt('varve.effect', server, home, ['--confirm', 'never', '--sandbox', 'off']);
  const window = openWindow(['--continue'], home);
  const rows = await window.shows('Continue where it stopped?');
  expect(rows).toContain('This call was running, and its result is unknown:\n$ read -r line');
  window.press(keys.enter);
  await window.shows('I look again.');
  await leaveWindow(window);
  server.assertDone();
});

test('calls that waited for an approval when a process ended are asked about', async () => {
  const home = await newHome();
  await using server = await scriptedServer([command('git push origin main'), { text: 'Left.', expect: 'not now' }]);
  await killedAt('waiting_for_confirmation', server, home, ['--sandbox', 'off']);
  const window = openWindow(['--continue'], home);
  await window.shows('1 call waits for your approval.');
  window.press(keys.enter);
  await window.shows('Approve this tool call?');
  await rejectCall(window, 'not now', 'Left.');
  await leaveWindow(window);
});

test('a first message answers calls that waited, and nothing is asked', async () => {
  const home = await newHome();
  await using server = await scriptedServer([
    command('git push origin main'),
    { text: 'Left.', expect: 'not to main' },
  ]);
  await killedAt('waiting_for_confirmation', server, home, ['--sandbox', 'off']);
  const window = openWindow(['--continue', 'Push, but not to main'], home);
  expect(await window.shows('Left.')).not.toContain('Decide about it now?');
  await leaveWindow(window);
});

test('a second window follows a conversation, changes nothing, and works on it when the first one has ended', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Six.' }, { text: 'Eight.' }]);
  const first = await openSession(server, home);
  await first.enter('2 + 2', 'Four.');
  const second = openWindow(['--continue'], home);
  expect(await second.shows('Another window works on this conversation.')).toContain('Four.');
  await second.shows('read-only · m');
  first.press('3 + 3', keys.enter);
  await second.shows('Six.');
  await second.enter('/rename Sums', 'It is read-only in this window.');
  second.press('4 + 4', keys.enter);
  // What was typed is in the editor again.
  await second.shows(/When that one has ended[^]*\n4 \+ 4/);
  await leaveWindow(first);
  second.press(keys.enter);
  const rows = await second.shows('Eight.');
  expect(rows.match(/Six\./g)).toHaveLength(1);
  expect(rows).not.toContain('read-only · m');
  await leaveWindow(second);
  server.assertDone();
});

test('another model continues the conversation without showing it again', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }]);
  const window = await openSession(server, home);
  await window.enter('2 + 2', 'Four.');
  const rows = await window.enter('/model other', 'other · ');
  expect(rows.match(/Four\./g)).toHaveLength(1);
  await leaveWindow(window);
});

test('the models of the server are offered, and a profile replaces the model of a conversation', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Five.' }, { text: 'Six.' }]);
  await runVarve(['profile', 'save', 'mine', 'model=own', `base_url=${server.url}`], { home });
  const window = await openSession(server, home);
  await window.enter('2 + 2', 'Four.');
  await window.enter('/model', 'mine');
  await window.enter('scripted', 'scripted · ');
  await window.enter('2 + 3', 'Five.');
  await window.enter('/model', 'mine');
  await window.enter('mine', 'own · ');
  await window.enter('2 + 4', 'Six.');
  await leaveWindow(window);
  const models = server.requests.flatMap(({ text }) => /"model":"(\w+)"/.exec(text)?.[1] ?? []);
  expect(models).toEqual(['m', 'scripted', 'own']);
});

/** Starts a server of a data directory, and creates a conversation whose calls wait for a person. */
async function servedConversation(model: ScriptedServer, home: string): Promise<void> {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--key', 'k'], {
    cwd: home,
    env: processEnvironment(home),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    url = /serves (http\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  const response = await fetch(`${url}/api/conversations`, {
    method: 'POST',
    headers: { 'X-Session-API-Key': 'k', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      agent: { llm: { model: 'openai/gpt-5', base_url: model.url, api_key: 'no-key' }, tools: [{ name: 'terminal' }] },
      workspace: { working_dir: home },
      confirmation_policy: { kind: 'AlwaysConfirm' },
      initial_message: { role: 'user', content: [{ type: 'text', text: '2 + 2' }], run: true },
    }),
  });
  expect(response.status).toBe(201);
}

test('a session follows a conversation that a server holds, and what is sent, decided and interrupted happens there', async () => {
  const home = await newHome();
  const png = Buffer.from('89504E470D0A1A0A0000', 'hex');
  await writeFile(join(home, 'shot.png'), png);
  await writeFile(join(home, 'notes.txt'), 'a note');
  const gate = Promise.withResolvers<void>();
  await using model = await scriptedServer([
    { text: 'Four.' },
    command('git push origin main'),
    { ...command('git push origin topic'), expect: 'not to main' },
    { text: 'Left.', expect: 'no-42' },
    { text: 'Made green.', expect: 'Make it green' },
    { text: 'Not yet.' },
    { text: 'Too late.', gate: gate.promise },
  ]);
  await servedConversation(model, home);
  const window = openWindow(['--continue'], home);
  await window.shows('A server works on this conversation. It reads what you type.');
  await window.shows('Four.');
  for (const typed of ['/plan', '/model other'])
    await window.enter(typed, 'A server works on this conversation, with a model, a mode and a sandbox of its own.');
  await window.enter('!echo out-$((40+2))', 'out-42');
  await window.enter('See shot.png and @notes.txt', 'Approve this tool call?');
  expect(window.history()).toContain('notes.txt is only text: a server works on this conversation.');
  window.press(keys.escape);
  await window.shows(/^(?![^]*Approve)(?![^]*read-only)[^]*sandbox: auto/);
  await window.enter('/continue', 'Approve this tool call?');
  await rejectCall(window, 'not to main', '│ $ git push origin topic');
  window.press(keys.down, keys.down, keys.enter);
  await window.shows(/─\ngit push origin topic *\n─/);
  window.press('\u0005', ' --dry-run || echo no-$((40+2))', keys.enter);
  await window.shows('Left.');
  await window.enter('/goal Make it green', 'Made green.');
  await window.shows('The objective is not met yet');
  // Before the next run of the goal has begun, Escape has nothing to interrupt: a person presses it again.
  const goalRows = (): string => window.history().split('The objective is not met yet').at(-1) ?? '';
  const afterEscape = (): string => {
    if (!/interrupted/i.test(goalRows())) window.press(keys.escape);
    return goalRows();
  };
  await expect.poll(afterEscape, { interval: 500 }).toMatch(/interrupted/i);
  gate.resolve();
  await leaveWindow(window);
  const sent = JSON.stringify(model.requests);
  expect([sent.includes('out-42'), sent.includes(png.toString('base64'))]).toEqual([true, true]);
});
