import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { runProgram } from '../src/commands/program.ts';
import { screen } from './screen.ts';

/** Runs a task on a terminal of 40 columns; `onShown` receives what was printed so far, after each piece. */
async function streamed(
  steps: readonly ScriptedStep[],
  onShown: (output: string, home: string) => unknown = () => undefined,
  { term = 'xterm', isPiped = false, noColour = '1' } = {},
) {
  await using server = await scriptedServer(steps);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  execFileSync('mkfifo', [join(home, 'released.fifo')]);
  let output = '';
  let answer = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  const stdout = isPiped ? new PassThrough() : stderr;
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    onShown(output, home);
  });
  if (isPiped) stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const env = { PATH: process.env['PATH'], HOME: home, TERM: term, NO_COLOR: noColour };
  const args = ['run', 'Go.', '--base-url', server.url, '--model', 'm', '--confirm', 'never', '--store', 'memory:'];
  const code = await runProgram(args, { env, cwd: home, stdin: Readable.from([]), stdout, stderr });
  return { code, output, answer };
}

const text = 'The function subtracts instead of adding, so the only test of it fails.';
const rows = ['The function subtracts instead of', 'adding, so the only test of it fails.'];

test.for(['xterm', 'dumb'])('with TERM=%s a reply is printed once, wrapped at words', async (term) => {
  const { code, output } = await streamed([{ text }], undefined, { term });
  expect(code).toBe(0);
  const window = screen({ columns: 40, rows: 12 });
  window.write(output);
  await window.drawn();
  const kept = window.history().split('\n');
  expect(kept.slice(kept.indexOf('› Go.') + 1)).toEqual(['', ...rows, '1 model call']);
});

test('an answer for another program is whole, and is streamed on the terminal, too', async () => {
  const { output, answer } = await streamed([{ text }], undefined, { isPiped: true });
  expect(answer).toBe(`${text}\n`);
  expect(stripVTControlCharacters(output)).toContain('The function subtracts instead of\n');
});

test('what arrived of a reply is visible before it is complete, and stays after it is interrupted', async () => {
  let interrupts = 0;
  const { code, output } = await streamed([{ text, fault: { kind: 'hang', afterPieces: 4 } }], (before) => {
    if (interrupts > 0 || !before.includes('The')) return;
    interrupts += 1;
    process.emit('SIGINT');
    process.emit('SIGINT');
  });
  expect(code).toBe(130);
  expect(interrupts).toBe(1);
  expect(output).toContain('The');
});

test('output of a command is visible while it runs', async () => {
  let isReleased = false;
  const call = { name: 'terminal', arguments: { command: 'echo first of all; cat released.fifo' } };
  const { code, output } = await streamed([{ calls: [call] }, { text: 'Done.' }], (before, home) => {
    if (isReleased || !before.includes('  first of all\n')) return;
    isReleased = true;
    void appendFile(join(home, 'released.fifo'), 'released\n');
  });
  expect([code, isReleased]).toEqual([0, true]);
  expect(output).toContain('released');
});

test('reasoning is part of the status, and is not kept', async () => {
  const { output } = await streamed([{ text: 'Done.', reasoning: 'First I think about it.' }]);
  expect(output).toContain('I think about it.');
  const window = screen({ columns: 40, rows: 12 });
  window.write(output);
  await window.drawn();
  expect(window.history()).not.toContain('I think');
});

test('a reply in Markdown has styles on a terminal with colours, and is the text of the model elsewhere', async () => {
  const markdown = '## Plan\n\nAdd `sum` **now**:\n\n```js\nconst a = 1;\n```\n';
  const coloured = await streamed([{ text: markdown }], undefined, { noColour: '' });
  for (const part of ['\u001B[1mPlan', '\u001B[36msum', '\u001B[1mnow', '\u001B[36mconst'])
    expect(coloured.output).toContain(part);
  const plain = await streamed([{ text: markdown }]);
  expect(stripVTControlCharacters(plain.output)).toContain('Add `sum` **now**:');
  const piped = await streamed([{ text: markdown }], undefined, { isPiped: true, noColour: '' });
  expect(piped.answer.trim()).toBe(markdown.trim());
});
