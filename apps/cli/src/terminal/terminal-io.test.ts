import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LibraryMessages } from './library-messages.ts';
import { outputOf } from './output.ts';
import { terminalIo } from './terminal-io.ts';

/** Asks a question on a terminal, and returns what is on it before and after the answer. */
async function asked(question: string, isHidden: boolean) {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const env = { NO_COLOR: '1', TERM: 'xterm' };
  const messages = new LibraryMessages(outputOf(stderr, env));
  const io = terminalIo({ env, cwd: '/', stdin, stdout: new PassThrough(), stderr, messages });
  const { signal } = new AbortController();
  const answer = isHidden ? io.askHidden(question) : io.ask(question, signal);
  await setImmediate();
  messages.print('a forged question? ');
  const before = String(stderr.read());
  stdin.write('typed\r');
  return { answer: await answer, before, after: String(stderr.read()) };
}

test.for([true, false])('a question is one line, whatever it quotes (not shown: %j)', async (isHidden) => {
  for (const hostile of ['a\nKey (not shown): ', 'a\r\nKey: ', 'a\u2028Key: ', 'a\u0085Key: ', 'a\u001B[2JKey: ']) {
    const { answer, before } = await asked(`Model [${hostile}]: `, isHidden);
    expect([answer, before]).toEqual(['typed', expect.stringMatching(/Model \[a[^\n]*Key[^\n]*\]: /)]);
    expect(before).not.toContain('\n');
  }
});

test.for([true, false])('no message of a library is printed before the answer (not shown: %j)', async (isHidden) => {
  const { before, after } = await asked('Value: ', isHidden);
  expect(before).not.toContain('forged');
  expect(after).toContain('\nwarning: a forged question?');
});

/** A terminal whose user answers questions. */
function questions() {
  const signals: string[] = [];
  const job = {
    isForeground: () => true,
    /** Stops and continues the job. */
    signal: (name: string): void => {
      signals.push(name);
      process.emit('SIGCONT', 'SIGCONT');
    },
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const io = terminalIo({ env: { TERM: 'xterm' }, cwd: '/', stdin, stdout: new PassThrough(), stderr }, job);
  /** Types something before a question, and a key when it is asked; then the answer. */
  const answer = async (
    text: string,
    { before = '', first }: { readonly before?: string; readonly first?: () => Promise<void> },
  ) => {
    stderr.read();
    // A terminal is read in the next turn of the event loop.
    const typed = setImmediate().then(() => stdin.write(before));
    const answered = io.ask('Trust exactly this content? [y/N] ', new AbortController().signal);
    await Promise.all([typed, once(stderr, 'readable')]);
    await first?.();
    stdin.write(`${text}\r`);
    return answered;
  };
  return { io, stdin, answer, signals };
}

test.for([true, false])('what was typed before a question does not answer it (in a run: %j)', async (isRun) => {
  const { io, answer } = questions();
  const muted = isRun ? io.muteInput() : undefined;
  expect(await answer('n', { before: 'y\r' })).toBe('n');
  muted?.[Symbol.dispose]();
});

test.for([true, false])(
  'Ctrl-Z stops the whole job, and afterwards a question is answered (in a run: %j)',
  async (isRun) => {
    const listeners = process.listenerCount('SIGCONT');
    const { io, stdin, answer, signals } = questions();
    const muted = isRun ? io.muteInput() : undefined;
    const first = async (): Promise<void> => {
      const continued = once(process, 'SIGCONT');
      stdin.write('\u001A');
      await continued;
    };
    expect(await answer('n', { first })).toBe('n');
    expect(signals).toEqual(['SIGTSTP']);
    expect(await answer('n', { before: 'y\r' })).toBe('n');
    expect(process.listenerCount('SIGCONT') - listeners).toBe(isRun ? 1 : 0);
    muted?.[Symbol.dispose]();
  },
);
