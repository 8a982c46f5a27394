import { PassThrough } from 'node:stream';
import { onTestFailed } from 'vitest';
import { runProgram } from '../src/commands/program.ts';
import { screen, type ScreenSize } from './screen.ts';

/** Marks of a terminal around the parts of a frame, which may be written one by one. */
const frameStart = '\u001B[?2026h';
const frameEnd = '\u001B[?2026l';

/** Keys with names. */
export const keys = {
  enter: '\r',
  escape: '\u001B',
  ctrlC: '\u0003',
  ctrlG: '\u0007',
  ctrlO: '\u000F',
  ctrlR: '\u0012',
  ctrlV: '\u0016',
  shiftTab: '\u001B[Z',
  down: '\u001B[B',
  up: '\u001B[A',
} as const;

/** Person with a window in which the command runs. */
export interface SessionWindow {
  /** Presses keys. */
  readonly press: (...typed: readonly string[]) => void;
  /** Presses keys, then Enter, and waits until a whole frame shows a text. */
  readonly enter: (typed: string, text: string | RegExp) => Promise<string>;
  /** Waits until a whole frame shows a text, and returns its rows. */
  readonly shows: (text: string | RegExp) => Promise<string>;
  /** Waits until a text with its styles was written to the terminal. */
  readonly writes: (text: string) => Promise<void>;
  /** Returns the window as a picture. */
  readonly svg: () => Promise<string>;
  /** Everything that was written to the terminal. */
  readonly written: () => string;
  /** Rows of the window and above it. */
  readonly history: () => string;
  /** Exit status and what follows the session. */
  readonly ended: Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Size of a window, and variables of its command. */
export interface WindowOptions extends ScreenSize {
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the command in a window of its own. The failure of a test names what it shows and what the test waits for. */
export function openWindow(
  args: readonly string[],
  home: string,
  { columns = 100, rows = 30, env: added = {} }: Partial<WindowOptions> = {},
): SessionWindow {
  const window = screen({ columns, rows });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  const stderr = new PassThrough();
  let written = '';
  const waiting = new Map<() => void, string | RegExp>();
  let output = '';
  stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
    const isWhole = written.lastIndexOf(frameStart) <= written.lastIndexOf(frameEnd);
    window.write(chunk.toString(), () => {
      if (!isWhole) return;
      output = window.text();
      for (const check of waiting.keys()) check();
    });
  });
  const env = { PATH: process.env['PATH'], HOME: home, TERM: 'xterm-256color', NO_COLOR: '1', ...added };
  onTestFailed(() => {
    const awaited = [...waiting.values()].map((what) => `, and the test waits for ${String(what)}`);
    throw new Error(`The window shows this${awaited.join('')}:\n${window.text()}`);
  });
  const code = runProgram(args, { env, cwd: home, stdin, stdout, stderr });
  const until = async (isReached: () => boolean, what: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!isReached()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.set(check, what);
      check();
      void code.then((status) => reject(new Error(`ended with ${status} before it showed ${String(what)}`)), reject);
    });
  const press: SessionWindow['press'] = (...typed) => {
    for (const key of typed) stdin.write(key);
  };
  const shows: SessionWindow['shows'] = async (text) => {
    let found = '';
    await until(() => {
      found = output;
      return typeof text === 'string' ? found.includes(text) : text.test(found);
    }, text);
    return found;
  };
  return {
    press,
    enter: async (typed, text) => {
      press(typed, keys.enter);
      return shows(text);
    },
    shows,
    writes: async (text) => until(() => written.includes(text), text),
    async svg() {
      await window.drawn();
      return window.svg();
    },
    written: () => written,
    history: () => window.history(),
    ended: code.then((status) => ({ code: status, stderr: String(stderr.read() ?? '') })),
  };
}

/** Opens the session with a model of a server, and waits for its editor. */
export async function openSession(
  { url }: { readonly url: string },
  home: string,
  args: readonly string[] = [],
  options: Partial<WindowOptions> = {},
): Promise<SessionWindow> {
  const window = openWindow(['--base-url', url, '--model', 'm', ...args], home, options);
  await window.shows('sandbox: ');
  return window;
}

/** Rejects the call that is asked about with a reason, and waits for a text. */
export async function rejectCall(window: SessionWindow, reason: string, text: string): Promise<string> {
  return window.enter(reason, text);
}

/** Leaves the session of a window with Ctrl-C, twice. */
export async function leaveWindow<Ended>(
  window: Pick<SessionWindow, 'press' | 'shows'> & { readonly ended: Promise<Ended> },
): Promise<Ended> {
  window.press(keys.ctrlC);
  await window.shows('Press Ctrl-C again to leave.');
  window.press(keys.ctrlC);
  return window.ended;
}
