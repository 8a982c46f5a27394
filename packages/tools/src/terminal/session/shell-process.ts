import type { ProgramSandbox } from '../../processes/program-sandbox.ts';

/** Options of {@link ShellBackend.start}. */
export interface ShellProcessOptions {
  /** Path of bash. */
  readonly shell: string;
  /** Path of the startup file; it prints the first marker. */
  readonly startupFile: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables by which the programs of the shell are found. */
  readonly marks?: Readonly<Record<string, string>>;
  /** Walls around the shell. Default: none. */
  readonly sandbox?: ProgramSandbox;
  /** Called with output in order, any number of bytes at a time. Must not throw. */
  readonly onData: (bytes: Buffer) => void;
  /** Called once, after the last output; 128 + n when signal n ended the shell. Must not throw. */
  readonly onExit: (exitCode: number) => void;
}

/** Running bash on a pseudo terminal or on pipes. */
export interface ShellProcess {
  readonly pid: number;
  /** True if programs see a terminal. */
  readonly tty: boolean;
  /** Sends the shell one line to execute. Call only while no program is running. */
  submit(line: string): void;
  /** Types into the running program; `\r` is the enter key. Returns false when its input has been closed. */
  type(text: string): boolean;
  /** Sends the C-c key. */
  interrupt(): void;
  /** Sends a signal to the program in the foreground and its children, where that does not end the shell. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Kills the shell and the program in the foreground; `onExit` follows. Idempotent. */
  kill(): void;
  /** Hangs up the shell, as a closed terminal window does; after its end the foreground programs are killed. */
  hangUp(): void;
}

/** Starts a {@link ShellProcess}. */
export interface ShellBackend {
  readonly name: 'pty' | 'pipe';
  start(options: ShellProcessOptions): ShellProcess;
}
