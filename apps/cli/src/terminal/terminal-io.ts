import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import { Writable } from 'node:stream';
import { processJob, type Job } from './job.ts';
import type { LibraryMessages } from './library-messages.ts';
import { MutedInput, type InputStream } from './muted-input.ts';
import { oneLine, outputOf, type Output, type OutputStream } from './output.ts';

/** Streams and environment of a process. */
export interface Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current directory. Reading it may throw, because the directory may have been removed. */
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Messages of libraries, which are held back while the user is asked; undefined if they are not printed. */
  readonly messages?: LibraryMessages;
  /** Result of a test of the sandbox that has been started; undefined if the command starts its own. */
  readonly sandboxProblem?: Promise<string | undefined>;
}

/** Streams of a terminal that a program draws. */
export interface ScreenStreams extends Disposable {
  readonly input: InputStream;
  readonly output: OutputStream;
  readonly job: Job;
}

/** Input, outputs and environment of one invocation: commands access the process only through it. */
export interface TerminalIo extends Omit<Streams, 'stdout' | 'stderr' | 'messages'> {
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Asks on one line of stderr. Resolves to what is typed, or to undefined if the input ends or the signal aborts. What
   * was typed on a terminal before is discarded.
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Asks on a terminal without showing what is typed; undefined if the input ends or the user presses Ctrl-C. */
  askHidden(question: string): Promise<string | undefined>;
  /**
   * Returns the streams of a terminal for a program that draws its whole screen, until the returned object is disposed.
   * Whatever it draws must be safe for the terminal. Undefined without a terminal.
   */
  openScreen(): ScreenStreams | undefined;
  /** Discards what the user types, except in answer to `ask`, until the returned object is disposed. */
  muteInput(): Disposable;
}

/**
 * Wraps the streams of a process, so that whatever is printed is safe for the terminal. `job` is that of the
 * process.
 */
export function terminalIo(streams: Streams, job: Job = processJob): TerminalIo {
  const { env, stdin, stdout, stderr, sandboxProblem } = streams;
  let muted: MutedInput | undefined;
  return {
    env,
    ...(sandboxProblem && { sandboxProblem }),
    get cwd() {
      return streams.cwd;
    },
    stdin,
    stdout: outputOf(stdout, env),
    stderr: outputOf(stderr, env),
    async ask(question, signal) {
      using around = new DisposableStack();
      around.use(streams.messages?.hold());
      // Without a run, only what was typed before the question is discarded.
      const input = muted ?? around.use(new MutedInput(stdin, job));
      around.use(await input.unmuted());
      return await ask(streams, { question: oneLine(question), signal, job });
    },
    async askHidden(question) {
      using around = new DisposableStack();
      around.use(streams.messages?.hold());
      const output = outputOf(stderr, env);
      output.partial(oneLine(question));
      const answer = await readHidden(streams, job);
      output.line('');
      return answer;
    },
    openScreen() {
      if (!stdin.isTTY || !stdout.isTTY || env['TERM'] === 'dumb') return undefined;
      const held = streams.messages?.hold();
      return { input: stdin, output: stdout, job, [Symbol.dispose]: () => held?.[Symbol.dispose]() };
    },
    muteInput: () => (muted = new MutedInput(stdin, job)),
  };
}

interface AskedQuestion {
  readonly question: string;
  readonly signal: AbortSignal;
  readonly job: Job;
}

async function ask({ stdin, stderr }: Streams, { question, signal, job }: AskedQuestion): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const lines = linesOf({ input: stdin, output: stderr }, stdin, job);
  const close = (): void => lines.close();
  signal.addEventListener('abort', close);
  try {
    return await new Promise((resolve) => {
      lines.once('close', () => resolve(undefined));
      lines.question(question, resolve);
    });
  } finally {
    signal.removeEventListener('abort', close);
    lines.close();
  }
}

/** The terminal is raw while the line is typed, and what is edited is written nowhere. */
async function readHidden({ stdin }: Streams, job: Job): Promise<string | undefined> {
  const output = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = linesOf({ input: stdin, output, terminal: true, historySize: 0 }, stdin, job);
  try {
    return await new Promise((resolve) => {
      lines.once('SIGINT', () => resolve(undefined));
      lines.once('close', () => resolve(undefined));
      lines.question('', resolve);
    });
  } finally {
    lines.close();
  }
}

/**
 * Reads lines. For Ctrl-Z, Node stops this process alone: a shell waits for the rest of its job, so that neither it nor
 * the question reads what is typed. The whole job is stopped here, and the question is printed again afterwards.
 */
function linesOf(options: ReadLineOptions, stdin: InputStream, job: Job): Interface {
  const lines = createInterface(options);
  const resume = (): void => {
    stdin.setRawMode?.(true);
    // A terminal is read again only after a pause.
    lines.pause();
    lines.prompt(true);
  };
  lines.once('close', () => process.off('SIGCONT', resume));
  return lines.on('SIGTSTP', () => {
    process.once('SIGCONT', resume);
    stdin.setRawMode?.(false);
    job.signal('SIGTSTP');
  });
}
