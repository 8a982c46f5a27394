import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { ToolError } from '../error.ts';
import { ControlStripper } from './control-stripper.ts';
import { MarkerStream, type Piece } from './marker-stream.ts';
import type { Captured, OutputBuffer } from './output-buffer.ts';
import { ScreenText } from './screen-text.ts';
import type { ShellBackend, ShellProcess } from './shell-process.ts';
import { commandLine, environmentFile, isWhole, questionLine, secretsFile, startupFile } from './startup-file.ts';

/** What a session is made of. */
export interface ShellSessionOptions {
  readonly backend: ShellBackend;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where the shell starts. */
  readonly directory: string;
  /** Where files that carry commands go; only this user can read it, and no other session uses it. */
  readonly privateDirectory: string;
  /** What another session exported; `environment` is then that of the shell before it reads this. */
  readonly exported?: string;
  /** Called with the number of the process as soon as there is one. Must not throw. */
  readonly onStart?: (pid: number) => void;
  readonly output: OutputBuffer;
  /** Applied to output before it is kept or saved. */
  readonly mask: (text: string) => string;
}

/** `finished`: the command has ended and nobody has been told yet. `ended`: the shell itself is gone. */
export type ShellStatus = 'starting' | 'idle' | 'running' | 'finished' | 'ended';

/** Why a wait ended; `quiet` and `late` mean that the command still runs. */
export type WaitEnd = 'finished' | 'ended' | 'quiet' | 'late' | 'aborted';

/** How long to wait; absent limits do not apply. */
export interface WaitLimits {
  /** Since the last output. */
  readonly quietMs?: number;
  /** Since now. */
  readonly lateMs?: number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly end: (end: WaitEnd) => void;
  readonly heard: () => void;
}

const startMs = 10_000;
const hangUpMs = 300;
const settleMs = 10_000;
/** Timers with longer delays fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** One persistent bash: runs one command at a time, and remembers what has been written and not been looked at. */
export class ShellSession {
  readonly #options: ShellSessionOptions;
  readonly #process: ShellProcess;
  readonly #markers: MarkerStream;
  readonly #stripper: ControlStripper;
  readonly #screen = new ScreenText();
  readonly #waiters = new Set<Waiter>();
  #decoder = newDecoder();
  #status: ShellStatus = 'starting';
  #exitCode = 0;
  #directory: string;
  #commands = 0;
  /** The number of the last prompt. */
  #prompted: number | undefined;
  /** The last command that was interrupted. */
  #interrupted = -1;
  /** An interrupted command has ended, and the shell has not yet answered that nothing else comes of the interrupt. */
  #isSettling = false;
  #isClosing = false;
  /** Hears text as it comes, without control sequences. */
  onOutput: ((chunk: string) => void) | undefined;

  private constructor(options: ShellSessionOptions, nonce: string, startup: string) {
    this.#options = options;
    this.#directory = options.directory;
    this.#markers = new MarkerStream(nonce);
    this.#stripper = new ControlStripper((answer) => this.#answer(answer));
    this.#process = options.backend.start({
      shell: options.shell,
      startupFile: startup,
      directory: options.directory,
      environment: options.environment,
      onData: (bytes) => this.#hear(this.#markers.push(bytes)),
      onExit: (exitCode) => this.#end(exitCode),
    });
    options.onStart?.(this.#process.pid);
  }

  /** @throws {ToolError} `unusable` when no shell comes up, `aborted` when the signal aborts first. */
  static async start(options: ShellSessionOptions, signal: AbortSignal): Promise<ShellSession> {
    const nonce = randomBytes(8).toString('hex');
    const directory = await privateDirectory(options);
    const startup = join(directory, 'startup');
    const inherit = join(directory, 'inherited');
    const { backend, exported } = options;
    if (exported !== undefined) await writeFile(inherit, exported, { mode: 0o600 });
    const text = startupFile({
      nonce,
      backend: backend.name,
      environmentFiles: environmentFiles(options),
      ...(exported !== undefined && { inherit }),
    });
    await writeFile(startup, text, { mode: 0o600 });
    const session = new ShellSession(options, nonce, startup);
    const end = await session.wait({ lateMs: startMs, signal });
    if (end === 'finished') {
      session.acknowledge();
      options.output.discard();
      return session;
    }
    await session.close();
    if (end === 'aborted') throw new ToolError('aborted', 'The call was cancelled before its shell had started.');
    throw new ToolError('unusable', `The shell ${options.shell} did not start in ${options.directory}.`);
  }

  get status(): ShellStatus {
    return this.#status;
  }

  /** Of the last command, or of the shell when it has ended. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** The directory of the shell after the last command. */
  get directory(): string {
    return this.#directory;
  }

  /**
   * What the shell exported at its last prompt, as lines that a bash can read; secrets of a command are not among it.
   * Undefined when that is not known.
   */
  async exported(): Promise<string | undefined> {
    if (this.#prompted === undefined) return undefined;
    const file = environmentFile(environmentFiles(this.#options), this.#prompted);
    const text = await readFile(file, 'utf8').catch(() => '');
    return isWhole(text) ? text : undefined;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get tty(): boolean {
    return this.#process.tty;
  }

  get hasOutput(): boolean {
    return !this.#screen.isEmpty || !this.#options.output.isEmpty;
  }

  /**
   * Resolves when nothing more can come of an interrupt: what the shell says about a program that was ended, or a line it
   * throws away. What has been written until then belongs to the interrupted command.
   *
   * @throws {ToolError} `aborted` when the signal aborts first.
   */
  async settled(signal: AbortSignal): Promise<void> {
    if (!this.#isSettling) return;
    await this.wait({ lateMs: settleMs, signal });
    if (signal.aborted) throw new ToolError('aborted', 'The call was cancelled before it started.');
    this.#isSettling = false;
  }

  /**
   * Starts a command; only when none runs and the session has settled. `secrets` are in its environment, and in that of the
   * shell until it ends. Does nothing when the shell has ended meanwhile.
   */
  async run(command: string, secrets: Readonly<Record<string, string>> = {}): Promise<void> {
    const directory = await privateDirectory(this.#options);
    const file = join(directory, 'command');
    await writeFile(file, command, { mode: 0o600 });
    const hasSecrets = Object.keys(secrets).length > 0;
    const variables = secretsPath(this.#options);
    if (hasSecrets) await writeFile(variables, secretsFile(secrets), { mode: 0o600 });
    if (this.#status === 'ended') return this.#forgetSecrets();
    this.#commands += 1;
    this.#status = 'running';
    const line = {
      id: this.#commands,
      file,
      lastStatus: this.#exitCode,
      ...(hasSecrets && { secretsFile: variables }),
    };
    this.#process.submit(commandLine(line, this.#options.backend.name));
  }

  /** Types into the running program. False when its input is closed. */
  type(text: string): boolean {
    return this.#process.type(text);
  }

  interrupt(): void {
    this.#interrupted = this.#commands;
    this.#process.interrupt();
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#process.signal(signal);
  }

  /** Ends the shell at once; what it still says does not count. */
  kill(): void {
    this.#isClosing = true;
    this.#process.kill();
  }

  /** What has been written since the last take, up to now. */
  take(): Captured {
    this.#keep(this.#screen.takeLine());
    return this.#options.output.take();
  }

  /** The end of the last command has been told. */
  acknowledge(): void {
    if (this.#status === 'finished') this.#status = 'idle';
  }

  /** Waits until the running command ends or a limit is reached. */
  async wait({ quietMs, lateMs, signal }: WaitLimits): Promise<WaitEnd> {
    if (this.#status === 'ended' || (this.#status === 'finished' && !this.#isSettling)) return this.#status;
    if (signal?.aborted) return 'aborted';
    const { promise, resolve } = Promise.withResolvers<WaitEnd>();
    const quiet = quietMs === undefined ? undefined : setTimeout(resolve, Math.min(quietMs, longestTimerMs), 'quiet');
    const late = lateMs === undefined ? undefined : setTimeout(resolve, Math.min(lateMs, longestTimerMs), 'late');
    const abort = (): void => resolve('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    const waiter = { end: resolve, heard: () => quiet?.refresh() };
    this.#waiters.add(waiter);
    try {
      const end = await promise;
      return this.#status === 'finished' ? 'finished' : end;
    } finally {
      clearTimeout(quiet);
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
      this.#waiters.delete(waiter);
    }
  }

  /** Ends the shell and what runs in its foreground, and removes its files. Resolves when the shell is gone; idempotent. */
  async close(): Promise<void> {
    if (this.#status !== 'ended') {
      this.#status = 'running';
      this.#isClosing = true;
      this.#process.hangUp();
      if ((await this.wait({ lateMs: hangUpMs })) !== 'ended') {
        this.#process.kill();
        await this.wait({ lateMs: hangUpMs });
      }
    }
    this.#options.output.discard();
    // As long as it lives, it is to be found by what is written down there.
    if (this.#status === 'ended')
      await rm(this.#options.privateDirectory, { recursive: true, force: true }).catch(() => undefined);
  }

  #hear(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'output') this.#write(this.#decoder.decode(piece.bytes, { stream: true }));
      else this.#prompt(piece);
    }
  }

  #write(chunk: string): void {
    const text = this.#stripper.push(chunk);
    if (text !== '') this.onOutput?.(text);
    this.#keep(this.#screen.push(text));
    for (const waiter of this.#waiters) waiter.heard();
  }

  #keep(text: string): void {
    this.#options.output.push(this.#options.mask(text));
  }

  /** A prompt of an earlier command (a job that was resumed, a line nobody read) tells only the directory. */
  #prompt({ id, exitCode, directory }: Extract<Piece, { kind: 'marker' }>): void {
    this.#directory = directory;
    this.#prompted = id;
    if (this.#isClosing) return;
    if (this.#isSettling) return this.#answered(id);
    if (!this.#isOurs(id) || (this.#status !== 'running' && this.#status !== 'starting')) return;
    this.#flush();
    this.#forgetSecrets();
    this.#exitCode = exitCode;
    this.#status = 'finished';
    if (this.#interrupted === this.#commands) this.#ask();
    else this.#wake('finished');
  }

  /**
   * An interrupt may reach the shell after its prompt: then it starts over with a prompt and loses lines that have come
   * meanwhile. The shell reads this line after all interrupts, so its answer is the last that comes of them.
   */
  #ask(): void {
    this.#isSettling = true;
    this.#commands += 1;
    this.#process.submit(questionLine(this.#commands));
  }

  /** Any prompt but that of the last question means that the question may be lost. */
  #answered(id: number): void {
    this.#flush();
    if (id !== this.#commands) return this.#ask();
    this.#isSettling = false;
    this.#wake('finished');
  }

  /** A terminal throws away a line that the shell has not read when C-c comes: then the command has never started. */
  #isOurs(id: number): boolean {
    const discarded = this.#process.tty && this.#interrupted === this.#commands && id === this.#commands - 1;
    return id === this.#commands || discarded;
  }

  #end(exitCode: number): void {
    this.#hear([{ kind: 'output', bytes: this.#markers.end() }]);
    this.#flush();
    this.#forgetSecrets();
    this.#isSettling = false;
    this.#exitCode = exitCode;
    this.#status = 'ended';
    this.#wake('ended');
  }

  /** Half a character or half a control sequence will not be completed by what comes next. */
  #flush(): void {
    this.#keep(this.#screen.push(this.#stripper.push(this.#decoder.decode())));
    this.#stripper.end();
    this.#decoder = newDecoder();
  }

  /** A command that was interrupted early has not read them. */
  #forgetSecrets(): void {
    rmSync(secretsPath(this.#options), { force: true });
  }

  #wake(end: WaitEnd): void {
    for (const waiter of this.#waiters) waiter.end(end);
  }

  #answer(text: string): void {
    if (this.#status === 'running' && this.#process.tty) this.#process.type(text);
  }
}

/** A command may have removed it, with everything else in the directory for temporary files. */
async function privateDirectory({ privateDirectory: path }: ShellSessionOptions): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

function secretsPath({ privateDirectory: path }: ShellSessionOptions): string {
  return join(path, 'secrets');
}

function environmentFiles({ privateDirectory: path }: ShellSessionOptions): string {
  return join(path, 'environment-');
}

function newDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}
