import { randomBytes } from 'node:crypto';
import { ToolError } from '../../contract/error.ts';
import { MarkerStream, type Piece, type PromptMarker } from './marker-stream.ts';
import type { CapturedOutput } from '../output/output-buffer.ts';
import type { ShellSessionOptions, ShellStatus } from './shell-session-options.ts';
import { SessionFiles } from './session-files.ts';
import { SessionOutput } from '../output/session-output.ts';
import { WaitQueue, type WaitEnd, type WaitLimits } from './wait-queue.ts';
import type { ShellBackend, ShellProcess } from './shell-process.ts';
import { LineNumbers } from './line-numbers.ts';
import { LineTracker } from './line-tracker.ts';
import { commandLine, probeLine } from './command-line.ts';
import { actualDirectory } from './actual-directory.ts';
import { continueWhenStopped } from './continue-when-stopped.ts';

const startMs = 10_000;
const hangUpMs = 300;
const settleMs = 10_000;
const interruptMs = 1000;
/** Exit status of a command that C-c has ended. */
const interruptedStatus = 130;
const killedStatus = 137;
/** Number of times that a command is sent before the shell is unusable. */
const maxSends = 3;

/** Command that the shell has not finished. */
interface SentCommand {
  readonly text: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly sends: number;
}

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
  readonly #numbers = new LineNumbers();
  readonly #lines = new LineTracker((line) => this.#process.submit(probeLine(this.#numbers.add(line))));
  #status: ShellStatus = 'starting';
  #exitCode = 0;
  #directory: string;
  /** Number of the last prompt. */
  #lastPrompt: number | undefined;
  #command: SentCommand | undefined;
  #isInterrupted = false;
  /** True from the end of a command until the effects of keys that were sent to it are over. */
  #isSettling = false;
  #isUnsettled = false;
  #isClosing = false;
  /** True if a marker has preceded the prompt that follows, which then repeats it. */
  #hasMarker = false;

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
      ...(options.marks && { marks: options.marks }),
      ...(options.sandbox && { sandbox: options.sandbox }),
      onData: (bytes) => this.#receive(this.#markers.push(bytes)),
      onExit: (exitCode) => this.#end(exitCode),
    });
    options.onStart?.(this.#process.pid);
  }

  /** @throws {ToolError} `unusable` when the shell does not start, `aborted` when the signal aborts first. */
  static async start(options: ShellSessionOptions, signal: AbortSignal): Promise<ShellSession> {
    const nonce = randomBytes(8).toString('hex');
    const files = new SessionFiles(options.privateDirectory, nonce);
    const startup = files.startup({ backend: options.backend.name, state: options.state });
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

  /** True if the shell was killed because it did not settle. */
  get isUnsettled(): boolean {
    return this.#isUnsettled;
  }

  /** Exit code of the last command, or of the shell when it has ended. */
  get exitCode(): number {
    return this.#exitCode;
  }

  /** Directory of the shell after the last command; other programs may have moved it since. */
  get directory(): string {
    const isIdle = this.#status === 'idle' || this.#status === 'finished';
    return isIdle ? actualDirectory(this.#process.pid, this.#directory) : this.#directory;
  }

  /**
   * Returns variables, functions and aliases of the shell at its last prompt, as bash code, without the secrets of
   * commands. Undefined when they are not known.
   */
  state(): string | undefined {
    return this.#lastPrompt === undefined ? undefined : this.#files.state(this.#lastPrompt);
  }

  /** Text of the last command. */
  get command(): string {
    return this.#command?.text ?? '';
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
   * Resolves when all effects of an interrupt or of typed input are over: messages of the shell about the ended
   * program, lines of input that it discards, and those that it executes. Output until then belongs to the earlier
   * command. Interrupts, and then kills, a shell that does not settle: what it still executes must not mix with the
   * next command.
   *
   * @throws {ToolError} `aborted` when the signal aborts first.
   */
  async waitUntilSettled(signal: AbortSignal): Promise<void> {
    if (!this.#isSettling) return;
    await this.wait({ lateMs: settleMs, signal });
    if (!this.#isSettling) return;
    if (signal.aborted) throw new ToolError('aborted', 'The call was cancelled before it started.');
    this.interrupt();
    await this.wait({ lateMs: interruptMs });
    if (!this.#isSettling) return;
    this.#isUnsettled = true;
    this.kill();
    await this.wait({ lateMs: hangUpMs });
    if (this.#isSettling) this.#end(killedStatus);
  }

  /**
   * Starts a command. Call only when none is running and the session has settled. `secrets` are in the environment of
   * the shell until the command ends. Does nothing when the shell has ended.
   *
   * @throws {Error} of the system when the files of the command cannot be written.
   */
  run(command: string, secrets: Readonly<Record<string, string>> = {}): void {
    if (this.#status === 'ended') return;
    this.#isInterrupted = false;
    this.#send({ text: command, secrets, sends: 1 });
  }

  #send(command: SentCommand): void {
    const file = this.#files.command(command.text);
    const variables = this.#files.secrets(command.secrets);
    this.#command = command;
    this.#status = 'running';
    const line = {
      id: this.#numbers.add(this.#lines.next()),
      file,
      lastStatus: this.#exitCode,
      ...(variables !== undefined && { secretsFile: variables }),
    };
    this.#process.submit(commandLine(line, this.#backend));
  }

  /** Types into the running program. Returns false when its input is closed. */
  type(text: string): boolean {
    this.#lines.disturb();
    return this.#process.type(text);
  }

  /** Sends C-c to the running command, which has ended only when {@link wait} reports it: C-c may be lost. */
  interrupt(): void {
    if (this.#status !== 'running' && !this.#isSettling) return;
    this.#isInterrupted = true;
    this.#lines.disturb();
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
    return this.#status === 'running' ? this.#output.take() : this.#output.takeAll();
  }

  /** Marks the end of the last command as reported. */
  acknowledge(): void {
    if (this.#status === 'finished') this.#status = 'idle';
  }

  /** Waits until the running command ends or a limit is reached. */
  async wait(limits: WaitLimits): Promise<WaitEnd> {
    if (this.#status === 'ended' || this.#status === 'unusable') return this.#status;
    if (this.#status === 'finished' && !this.#isSettling) return 'finished';
    if (limits.signal?.aborted) return 'aborted';
    const end = await continueWhenStopped(this.#process.pid, this.#waits.next(limits));
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
      else {
        const line = this.#numbers.find(piece.id);
        // A program of the command has printed it.
        if (line === undefined) continue;
        if (!piece.isPrompt || !this.#hasMarker) this.#handlePrompt({ ...piece, id: line });
        this.#hasMarker = !piece.isPrompt;
      }
    }
  }

  #write(bytes: Uint8Array): void {
    this.#output.push(bytes);
    this.#waits.outputReceived();
  }

  #handlePrompt({ isPrompt, id, exitCode, directory }: PromptMarker): void {
    this.#directory = actualDirectory(this.#process.pid, directory);
    // The shell stores its state together with the marker, not with the prompt itself.
    if (!isPrompt) this.#lastPrompt = id;
    const isRunning = this.#status === 'running' || this.#status === 'starting';
    if (this.#isClosing || !(isRunning || this.#isSettling)) return;
    const meaning = this.#lines.prompt(id);
    this.#output.flush();
    if (meaning === 'unusable') return this.#giveUp();
    if (meaning === 'lost' && !this.#isInterrupted) return this.#sendAgain();
    // An unknown prompt after C-c does not mean that the command was discarded: bash forgets only as much of a line as
    // it has parsed, prints a prompt and executes the rest.
    if (isRunning && meaning !== 'unknown') this.#finish(meaning === 'lost' ? interruptedStatus : exitCode);
    const isOver = meaning === 'settled' || meaning === 'lost';
    this.#isSettling = !isOver && (this.#isSettling || this.#status === 'finished');
    if (isOver) this.#waits.end('finished');
  }

  #finish(exitCode: number): void {
    this.#files.forgetSecrets();
    this.#exitCode = exitCode;
    this.#status = 'finished';
  }

  /** Sends a command again that was not started; what kept the shell from reading it is over. */
  #sendAgain(): void {
    const command = this.#command;
    if (command === undefined || command.sends >= maxSends) return this.#giveUp();
    try {
      this.#send({ ...command, sends: command.sends + 1 });
    } catch {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    this.#files.forgetSecrets();
    this.#status = 'unusable';
    this.#waits.end('unusable');
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
