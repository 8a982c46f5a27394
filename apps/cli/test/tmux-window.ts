import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import type { DayWindow } from './session-day.ts';

const main = appMain('cli');
const run = promisify(execFile);

/** Reason for which nothing can run in tmux here. */
export const tmuxProblem = spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is not installed.';

/** Starts the command in a process, in a window of tmux with 100 columns and 30 rows. */
export async function openTmuxWindow(args: readonly string[], home: string): Promise<DayWindow> {
  const socket = join(await mkdtemp(join(tmpdir(), 'varve-tmux-')), 's');
  const env = processEnvironment(home, { NO_COLOR: '1' });
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (await run('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...words], { env })).stdout;
  const size = ['-x', '100', '-y', '30', '-c', home];
  const options = ['set-option', '-g', 'status', 'off', ';', 'set-option', '-g', 'remain-on-exit', 'on'];
  const command = [process.execPath, main, ...args];
  await tmux('start-server', ';', ...options, ';', 'new-session', '-d', ...size, ...command);
  onTestFinished(async () => void (await tmux('kill-server')));
  let typed = Promise.resolve('');
  const rows = async (): Promise<string> => {
    await typed;
    return (await tmux('capture-pane', '-p')).trimEnd();
  };
  const shows = async (text: string | RegExp): Promise<string> => {
    let found = '';
    // Rows may be captured while they are drawn.
    const whole = async (): Promise<string> => {
      const before = found;
      found = await rows();
      return found === before ? found : '';
    };
    await expect.poll(whole, { message: `the window shows ${String(text)}` }).toMatch(text);
    return found;
  };
  const ended = async (): Promise<{ readonly stderr: string }> => {
    // The exit status of the pane is missing at times.
    await expect.poll(async () => tmux('display-message', '-p', '#{pane_dead}')).toBe('1\n');
    return { stderr: await rows() };
  };
  return {
    press(...keys) {
      for (const key of keys) {
        const codes = Array.from(Buffer.from(key), (byte) => byte.toString(16));
        typed = typed.then(async () => tmux('send-keys', '-H', ...codes));
      }
    },
    shows,
    get ended() {
      return ended();
    },
  };
}
