import { randomBytes } from 'node:crypto';
import { ToolError } from '../../contract/error.ts';
import { MarkerStream, type Piece } from './marker-stream.ts';
import type { CapturedOutput, OutputBuffer } from '../output/output-buffer.ts';
import { SessionFiles } from './session-files.ts';
import { SessionOutput } from '../output/session-output.ts';
import { SessionWaits, type WaitEnd, type WaitLimits } from './session-waits.ts';
import type { ShellBackend, ShellProcess } from './shell-process.ts';
import { commandLine, probeLine } from './startup-file.ts';

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

const startMs = 10_000;
const hangUpMs = 300;
const settleMs = 10_000;

/** What is there before a shell starts. */
interface Prepared {
  readonly files: SessionFiles;
  readonly nonce: string;
  /** The path of what the shell reads first. */
  readonly startup: string;
}

/** One persistent bash: runs one command at a time, and remembers what has been written and not been looked at. */
export class ShellSession {
  readonly #backend: ShellBackend['name'];
  readonly #process: ShellProcess;
  readonly #files: SessionFiles;
  readonly #markers: MarkerStream;
  readonly #output: SessionOutput;
  readonly #waits = new SessionWaits();
  #status: ShellStatus = 'starting';
  #exitCode = 0;
  #directory: string;
  #commands = 0;
  /** The number of the last prompt. */
  #lastPrompt: number | undefined;
  /** The last command that was interrupted. */
  #interrupted = -1;
  /** An interrupted command has ended, and the shell has not yet answered that nothing else comes of the interrupt. */
  #isSettling = false;
  #isClosing = false;

  private constructor(options: ShellSessionOptions, { files, nonce, startup }: Prepared) {
    this.#backend = options.backend.name;
    this.#files = files;
    this.#directory = options.directory;
    this.#markers = new MarkerStream(nonce);
    this.#output = new SessionOutput({ ...options, answer: (text) => this.#answer(text) });
    this.#process = options.backend.start({
      shell: options.shell,
      startupFile: startup,
      directory: options.directory,
      environment: options.environment,
      onData: (bytes) => this.#receive(this.#markers.push(bytes)),
      onExit: (exitCode) => this.#end(exitCode),
    });
    options.onStart?.(this.#process.pid);
  }

  /** @throws {ToolError} `unusable` when no shell comes up, `aborted` when the signal aborts first. */
  static async start(options: ShellSessionOptions, signal: AbortSignal): Promise<ShellSession> {
    const nonce = randomBytes(8).toString('hex');
    const files = new SessionFiles(options.privateDirectory);
    const startup = await files.startup({ nonce, backend: options.backend.name, exported: options.exported });
    const session = new ShellSession(options, { files, nonce, startup });
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
    return this.#lastPrompt === undefined ? undefined : this.#files.exported(this.#lastPrompt);
  }

  get pid(): number {
    return this.#process.pid;
  }

  get tty(): boolean {
    return this.#process.tty;
  }

  /** Hears text as it comes, without control sequences. */
  set onOutput(hear: ((chunk: string) => void) | undefined) {
    this.#output.onText = hear;
  }

  get hasOutput(): boolean {
    return !this.#output.isEmpty;
  }

  /**
   * Resolves when nothing more can come of an interrupt: what the shell says about a program that was ended, or a line it
   * throws away. What has been written until then belongs to the interrupted command.
   *
   * @throws {ToolError} `aborted` when the signal aborts first.
   */
  async waitUntilSettled(signal: AbortSignal): Promise<void> {
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
    const file = await this.#files.command(command);
    const variables = await this.#files.secrets(secrets);
    if (this.#status === 'ended') return this.#files.forgetSecrets();
    this.#commands += 1;
    this.#status = 'running';
    const line = {
      id: this.#commands,
      file,
      lastStatus: this.#exitCode,
      ...(variables !== undefined && { secretsFile: variables }),
    };
    this.#process.submit(commandLine(line, this.#backend));
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
  take(): CapturedOutput {
    return this.#output.take();
  }

  /** The end of the last command has been told. */
  acknowledge(): void {
    if (this.#status === 'finished') this.#status = 'idle';
  }

  /** Waits until the running command ends or a limit is reached. */
  async wait(limits: WaitLimits): Promise<WaitEnd> {
    if (this.#status === 'ended' || (this.#status === 'finished' && !this.#isSettling)) return this.#status;
    if (limits.signal?.aborted) return 'aborted';
    const end = await this.#waits.next(limits);
    return this.#status === 'finished' ? 'finished' : end;
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
    this.#output.discard();
    // As long as it lives, it is to be found by what is written down there.
    if (this.#status === 'ended') await this.#files.remove();
  }

  #receive(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (piece.kind === 'output') this.#write(piece.bytes);
      else this.#handlePrompt(piece);
    }
  }

  #write(bytes: Uint8Array): void {
    this.#output.push(bytes);
    this.#waits.outputReceived();
  }

  /** A prompt of an earlier command (a job that was resumed, a line nobody read) tells only the directory. */
  #handlePrompt({ id, exitCode, directory }: Extract<Piece, { kind: 'marker' }>): void {
    this.#directory = directory;
    this.#lastPrompt = id;
    if (this.#isClosing) return;
    if (this.#isSettling) return this.#probeAnswered(id);
    if (!this.#isOurs(id) || (this.#status !== 'running' && this.#status !== 'starting')) return;
    this.#output.flush();
    this.#files.forgetSecrets();
    this.#exitCode = exitCode;
    this.#status = 'finished';
    if (this.#interrupted === this.#commands) this.#probe();
    else this.#waits.end('finished');
  }

  /**
   * An interrupt may reach the shell after its prompt: then it starts over with a prompt and loses lines that have come
   * meanwhile. The shell reads this line after all interrupts, so its answer is the last that comes of them.
   */
  #probe(): void {
    this.#isSettling = true;
    this.#commands += 1;
    this.#process.submit(probeLine(this.#commands));
  }

  /** Any prompt but that of the last question means that the question may be lost. */
  #probeAnswered(id: number): void {
    this.#output.flush();
    if (id !== this.#commands) return this.#probe();
    this.#isSettling = false;
    this.#waits.end('finished');
  }

  /** A terminal throws away a line that the shell has not read when C-c comes: then the command has never started. */
  #isOurs(id: number): boolean {
    const discarded = this.#process.tty && this.#interrupted === this.#commands && id === this.#commands - 1;
    return id === this.#commands || discarded;
  }

  #end(exitCode: number): void {
    this.#receive([{ kind: 'output', bytes: this.#markers.end() }]);
    this.#output.flush();
    this.#files.forgetSecrets();
    this.#isSettling = false;
    this.#exitCode = exitCode;
    this.#status = 'ended';
    this.#waits.end('ended');
  }

  #answer(text: string): void {
    if (this.#status === 'running' && this.#process.tty) this.#process.type(text);
  }
}
