import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { processJob, type Job } from './job.ts';

/** Standard input that may be a terminal. */
export type InputStream = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** Characters for which a terminal sends a signal, unless its input is raw. */
const signals = new Map([
  ['\u0003', 'SIGINT'],
  ['\u001A', 'SIGTSTP'],
  ['\u001C', 'SIGQUIT'],
] as const);

/**
 * Discards what is typed on a terminal, without an echo, so that it neither breaks a status line nor answers a later
 * question. Ctrl-C, Ctrl-Z and Ctrl-\ work as usual. Does nothing for other streams, and for a process in the
 * background, which the terminal would stop. Node restores the terminal when the process exits; after SIGKILL the shell
 * does.
 */
export class MutedInput implements Disposable {
  readonly #stdin: InputStream;
  readonly #job: Job;
  #isMuted = false;
  /** The user may type: a process that continues after Ctrl-Z must not mute the input. */
  #isAsked = false;
  #isEnded = false;

  constructor(stdin: InputStream, job: Job = processJob) {
    this.#stdin = stdin;
    this.#job = job;
    process.on('SIGCONT', this.#mute);
    this.#mute();
  }

  /** Discards what was typed until now, and lets the user type until the returned object is disposed. */
  async unmuted(): Promise<Disposable> {
    // A process that was busy, for example with a long text above the question, has not read it: events of the terminal
    // are read between two turns of the event loop.
    if (this.#isMuted) {
      await setImmediate();
      await setImmediate();
    }
    this.#unmute();
    this.#isAsked = true;
    return {
      [Symbol.dispose]: () => {
        this.#isAsked = false;
        this.#mute();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    process.off('SIGCONT', this.#mute);
    this.#unmute();
  }

  readonly #mute = (): void => {
    const canMute = this.#stdin.isTTY && this.#stdin.setRawMode && !this.#isEnded && !this.#isAsked;
    if (this.#isMuted || !canMute || !this.#job.isForeground()) return;
    this.#isMuted = true;
    this.#stdin.setRawMode?.(true);
    this.#stdin.on('data', this.#read);
    this.#stdin.resume();
  };

  #unmute(): void {
    if (!this.#isMuted) return;
    this.#isMuted = false;
    this.#stdin.off('data', this.#read);
    this.#stdin.pause();
    this.#stdin.setRawMode?.(false);
  }

  readonly #read = (typed: Buffer | string): void => {
    for (const key of typed.toString()) {
      const signal = signals.get(key as '\u0003');
      if (signal === undefined || (signal === 'SIGINT' && process.emit('SIGINT', 'SIGINT'))) continue;
      this.#unmute();
      this.#job.signal(signal);
    }
  };
}
