import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MutedInput } from './muted-input.ts';

const foreground = { isForeground: () => true, signal: () => undefined };
const background = { ...foreground, isForeground: () => false };

function terminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  return { stdin, modes };
}

test('typed text is discarded until the input is unmuted, and the terminal is restored', async () => {
  const { stdin, modes } = terminal();
  const muted = new MutedInput(stdin, foreground);
  await new Promise((resolve) => stdin.write('y\r', resolve));
  const unmuted = await muted.unmuted();
  await new Promise((resolve) => stdin.write('n\r', resolve));
  expect(String(stdin.read())).toBe('n\r');
  unmuted[Symbol.dispose]();
  muted[Symbol.dispose]();
  unmuted[Symbol.dispose]();
  expect(modes).toEqual([true, false, true, false]);
  expect(stdin.isPaused()).toBe(true);
});

test('what was typed while the process was busy is discarded, too', async () => {
  const { stdin } = terminal();
  const muted = new MutedInput(stdin, foreground);
  // A terminal is read in the next turn of the event loop.
  const typed = setImmediate().then(() => stdin.write('y\r'));
  const unmuted = await muted.unmuted();
  await typed;
  expect(stdin.read()).toBeNull();
  unmuted[Symbol.dispose]();
  muted[Symbol.dispose]();
});

test('Ctrl-C still interrupts', async () => {
  const { stdin } = terminal();
  const muted = new MutedInput(stdin, foreground);
  const interrupted = once(process, 'SIGINT');
  stdin.write('abc\u0003');
  expect(await interrupted).toEqual(['SIGINT']);
  muted[Symbol.dispose]();
});

test('a process in the background and a pipe are left alone', () => {
  const { stdin, modes } = terminal();
  const inputs = [new MutedInput(stdin, background), new MutedInput(new PassThrough(), foreground)];
  for (const input of inputs) input[Symbol.dispose]();
  expect(modes).toEqual([]);
});
