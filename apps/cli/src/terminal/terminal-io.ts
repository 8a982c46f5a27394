import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import { Writable } from 'node:stream';
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
  /** Discards what the user types, except in answer to `ask`, until the returned object is disposed. */
  muteInput(): Disposable;
}

/**
 * Wraps the streams of a process, so that whatever is printed is safe for the terminal. `isForeground` reports whether
 * the terminal reads for this process.
 */
export function terminalIo(streams: Streams, isForeground?: () => boolean): TerminalIo {
  const { env, stdin, stdout, stderr } = streams;
  let muted: MutedInput | undefined;
  return {
    env,
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
      const input = muted ?? around.use(new MutedInput(stdin, isForeground));
      around.use(await input.unmuted());
      return await ask(streams, oneLine(question), signal);
    },
    async askHidden(question) {
      using around = new DisposableStack();
      around.use(streams.messages?.hold());
      const output = outputOf(stderr, env);
      output.partial(oneLine(question));
      const answer = await readHidden(streams);
      output.line('');
      return answer;
    },
    muteInput: () => (muted = new MutedInput(stdin, isForeground)),
  };
}

async function ask({ stdin, stderr }: Streams, question: string, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const lines = linesOf({ input: stdin, output: stderr });
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
async function readHidden({ stdin }: Streams): Promise<string | undefined> {
  const output = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = linesOf({ input: stdin, output, terminal: true, historySize: 0 });
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

/** Node pauses the input of a question when the process continues after Ctrl-Z. */
function linesOf(options: ReadLineOptions): Interface {
  const lines = createInterface(options);
  return lines.on('SIGCONT', () => lines.resume());
}
