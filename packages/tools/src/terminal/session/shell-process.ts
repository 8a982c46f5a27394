/** What a shell process is started with. */
export interface ShellProcessOptions {
  /** Path of a bash. */
  readonly shell: string;
  /** Path of the startup file; it prints the first marker. */
  readonly startupFile: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with output in order, any number of bytes at a time. Must not throw. */
  readonly onData: (bytes: Buffer) => void;
  /** Called once, after the last output; 128 + n when signal n ended the shell. Must not throw. */
  readonly onExit: (exitCode: number) => void;
}

/** A running bash, behind a terminal or behind pipes. */
export interface ShellProcess {
  readonly pid: number;
  /** Whether programs in it see a terminal. */
  readonly tty: boolean;
  /** Gives the shell itself one line to run. Only when no program runs. */
  submit(line: string): void;
  /** Types into the running program; `\r` is the enter key. False when its input has been closed. */
  type(text: string): boolean;
  /** What the C-c key does. */
  interrupt(): void;
  /** Sends a signal to the program in the foreground and its children, where that does not end the shell. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Ends the shell and the program in the foreground without asking; `onExit` follows. Idempotent. */
  kill(): void;
  /** Asks the shell to end as when its terminal window is closed; when it has, what was in the foreground is killed. */
  hangUp(): void;
}

/** A way to start a {@link ShellProcess}. */
export interface ShellBackend {
  readonly name: 'pty' | 'pipe';
  start(options: ShellProcessOptions): ShellProcess;
}
