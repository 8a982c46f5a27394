import { randomBytes } from 'node:crypto';
import { ToolError } from '../../contract/error.ts';
import { MarkerStream, type Piece } from './marker-stream.ts';
import type { CapturedOutput, OutputBuffer } from '../output/output-buffer.ts';
import { SessionFiles } from './session-files.ts';
import { SessionOutput } from '../output/session-output.ts';
import { WaitQueue, type WaitEnd, type WaitLimits } from './wait-queue.ts';
import type { ShellBackend, ShellProcess } from './shell-process.ts';
import { commandLine, probeLine } from './startup-file.ts';

/** Options of {@link ShellSession.start}. */
export interface ShellSessionOptions {
  readonly backend: ShellBackend;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Initial directory of the shell. */
  readonly directory: string;
  /** Directory for the files of the session; readable by this user only and used by this session only. */
  readonly privateDirectory: string;
  /** Exports of another session, as bash code, which the shell loads on top of `environment`. */
  readonly exported?: string;
  /** Receives the process id as soon as the process exists. Must not throw. */
  readonly onStart?: (pid: number) => void;
  readonly output: OutputBuffer;
  /** Applied to output before it is buffered or saved. */
  readonly mask: (text: string) => string;
}

/**
 * State of a shell. `finished`: the command has ended, and its end is not acknowledged yet. `ended`: the shell has
 * ended.
 */
export type ShellStatus = 'starting' | 'idle' | 'running' | 'finished' | 'ended';

const startMs = 10_000;
const hangUpMs = 300;
const settleMs = 10_000;

/** Files of a session whose shell has not started yet. */
interface Prepared {
  readonly files: SessionFiles;
  readonly nonce: string;
  /** Path of the startup file. */
  readonly startup: string;
}

/** Persistent bash that runs one command at a time and buffers its output until it is taken. */
export class ShellSession {
  readonly #backend: ShellBackend['name'];
  readonly #process: ShellProcess;
  readonly #files: SessionFiles;
  readonly #markers: MarkerStream;
  readonly #output: SessionOutput;
  readonly #waits = new WaitQueue();
  #status: ShellStatus = 'starting';
  #exitCode = 0;
  #directory: string;
  #commands = 0;
  /** Number of the last prompt. */
  #lastPrompt: number | undefined;
  /** Number of the last interrupted command. */
  #interrupted = -1;
  /** True from the end of an interrupted command until the shell has answered a probe. */
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

  /** @throws {ToolError} `unusable` when the shell does not start, `aborted` when the signal aborts first. */
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

  /** Exit code of the last command, or of the shell when it has ended. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Directory of the shell after the last command. */
  get directory(): string {
    return this.#directory;
  }

  /**
   * Returns the exported variables and functions of the shell at its last prompt, as bash code, without the secrets of
   * commands. Undefined when they are not known.
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

  /** Receives text as it arrives, without control sequences. */
  set onOutput(listener: ((chunk: string) => void) | undefined) {
    this.#output.onText = listener;
  }

  get hasOutput(): boolean {
    return !this.#output.isEmpty;
  }

  /**
   * Resolves when all effects of an interrupt are over: messages of the shell about the ended program, and lines of
   * input that it discards. Output until then belongs to the interrupted command.
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
   * Starts a command. Call only when none is running and the session has settled. `secrets` are in the environment of
   * the shell until the command ends. Does nothing when the shell has ended.
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

  /** Types into the running program. Returns false when its input is closed. */
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

  /** Kills the shell and ignores its further prompts. */
  kill(): void {
    this.#isClosing = true;
    this.#process.kill();
  }

  /** Returns and clears the output since the last take. */
  take(): CapturedOutput {
    return this.#output.take();
  }

  /** Marks the end of the last command as reported. */
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

  /**
   * Ends the shell and what runs in its foreground, and removes its files. Resolves when the shell is gone; idempotent.
   */
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
    // While the shell runs, the record in this directory is needed to find it.
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

  /** Handles a prompt. One of an earlier command (a resumed job, an unread line) reports only the directory. */
  #handlePrompt({ id, exitCode, directory }: Extract<Piece, { kind: 'marker' }>): void {
    this.#directory = directory;
    this.#lastPrompt = id;
    if (this.#isClosing) return;
    if (this.#isSettling) return this.#probeAnswered(id);
    if (!this.#isCurrent(id) || (this.#status !== 'running' && this.#status !== 'starting')) return;
    this.#output.flush();
    this.#files.forgetSecrets();
    this.#exitCode = exitCode;
    this.#status = 'finished';
    if (this.#interrupted === this.#commands) this.#probe();
    else this.#waits.end('finished');
  }

  /**
   * Sends a probe. An interrupt may reach the shell after its prompt; the shell then prints another prompt and loses
   * lines that arrived in between. It reads the probe after all interrupts, so its answer is their last effect.
   */
  #probe(): void {
    this.#isSettling = true;
    this.#commands += 1;
    this.#process.submit(probeLine(this.#commands));
  }

  /** Handles the answer to a probe. Any other prompt means that the probe may be lost, so it is sent again. */
  #probeAnswered(id: number): void {
    this.#output.flush();
    if (id !== this.#commands) return this.#probe();
    this.#isSettling = false;
    this.#waits.end('finished');
  }

  /**
   * Returns true for the prompt of the last command, or of the one before if C-c discarded the last before it was read.
   */
  #isCurrent(id: number): boolean {
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
