import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { removePrivateDirectory } from '../files/private-file.ts';
import { realPathOf } from '../files/real-path.ts';
import { findShell, isVariableName, shellEnvironment } from '../processes/shell-environment.ts';
import { outputsDirectory, shellFile, terminalDirectory } from './cleanup/terminal-directory.ts';
import { directoryVariable, type RunningProgram, runningPrograms, terminatePrograms } from './cleanup/kill-programs.ts';
import { OutputBuffer } from './output/output-buffer.ts';
import { pipeBackend } from './session/pipe-backend.ts';
import { recordProcess } from '../processes/process-record.ts';
import { ptyBackend } from './session/pty-backend.ts';
import type { ShellBackend } from './session/shell-process.ts';
import type { ShellSession } from './session/shell-session.ts';
import type { TerminalOptions } from './terminal-options.ts';

/** Redactor without secrets. */
const unchanged: NonNullable<TerminalOptions['redactor']> = {
  stream: () => ({ push: (piece) => piece, end: () => '' }),
};

/** Initial state of a shell. */
export interface ShellOrigin {
  readonly directory: string;
  /** Variables, functions and aliases of another shell, as bash code. Default: the environment of the terminal. */
  readonly state?: string | undefined;
}

/**
 * Starts the shells of one terminal, which share program, environment and private directory. Owns that directory until
 * closed.
 */
export class ShellFactory {
  readonly #options: TerminalOptions;
  readonly #environment: Readonly<Record<string, string>>;
  #directory: Promise<string> | undefined;
  #shells = 0;

  /** @throws {ToolError} `unusable` when a name in `env` is not an identifier. */
  constructor(options: TerminalOptions) {
    this.#options = options;
    const { inherit = process.env, inheritNames = [], env = {} } = options;
    this.#environment = shellEnvironment({ inherited: inherit, names: inheritNames, own: env });
  }

  /**
   * Starts a shell. When it does not start with the variables of `origin`, starts it without them.
   *
   * @throws {ToolError} `unusable` when no shell can be started, `aborted` when the signal aborts first.
   */
  async start(origin: ShellOrigin, signal: AbortSignal): Promise<ShellSession> {
    try {
      return await this.#startAt(origin, signal);
    } catch (error) {
      const isPoisoned = origin.state !== undefined && error instanceof ToolError && error.code === 'unusable';
      if (!isPoisoned) throw error;
      return this.#startAt({ directory: origin.directory }, signal);
    }
  }

  async #startAt({ directory, state }: ShellOrigin, signal: AbortSignal): Promise<ShellSession> {
    if (!(await isDirectory(directory)))
      throw new ToolError('unusable', `The workspace ${directory} is not a directory.`);
    const { shell, redactor = unchanged, outputDir, sandbox } = this.#options;
    // The first request to the model does not need it.
    const session = await import('./session/shell-session.ts');
    const backend = await backendFor(this.#options.pty);
    const shared = await this.#sharedDirectory();
    this.#shells += 1;
    const privateDirectory = join(shared, String(this.#shells));
    const output = new OutputBuffer({
      maxChars: this.#options.maxOutputChars ?? 30_000,
      directory: outputDir ?? join(shared, outputsDirectory),
      maxSavedBytes: this.#options.maxSavedBytes ?? 64 * 1024 * 1024,
    });
    const program = findShell(shell, this.#environment['PATH']);
    const options = {
      backend,
      shell: program,
      environment: state === undefined ? this.#environment : {},
      marks: { [directoryVariable]: shared },
      ...(sandbox && { sandbox }),
      directory,
      privateDirectory,
      onStart: (pid: number) => recordProcess(join(privateDirectory, shellFile), pid),
      output,
      redactor,
      ...(state !== undefined && { state }),
    };
    return session.ShellSession.start(options, signal);
  }

  /** Reports whether a shell is in one of the directories, absolute or below `~`; undefined allows all of them. */
  mayStartIn(directory: string, allowed: readonly string[] | undefined): boolean {
    if (allowed === undefined || allowed.includes(directory)) return true;
    const real = realPathOf(directory);
    const home = this.#environment['HOME'] ?? '/';
    return allowed.some((path) => realPathOf(path.replace(/^~(?=\/|$)/, () => home)) === real);
  }

  /** Returns the secrets of one command, as variables. */
  async secretsFor(command: string): Promise<Readonly<Record<string, string>>> {
    const secrets = (await this.#options.secrets?.(command)) ?? {};
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => isVariableName(name)));
  }

  /** Returns the programs that run in the terminal, without the shells, and with masked arguments. */
  async runningPrograms(shells: readonly (number | undefined)[]): Promise<readonly RunningProgram[]> {
    const directory = await this.#directory?.catch(() => undefined);
    if (directory === undefined) return [];
    const { redactor = unchanged } = this.#options;
    return runningPrograms(directory, shells).map(({ pid, command }) => {
      const masked = redactor.stream();
      return { pid, command: masked.push(command) + masked.end() };
    });
  }

  /**
   * Terminates the programs left running by the shells, which are closed, and removes the private directory with its
   * files.
   */
  async close(): Promise<void> {
    const directory = await this.#directory?.catch(() => undefined);
    this.#directory = undefined;
    if (directory === undefined) return;
    await terminatePrograms(directory);
    // A command may have made it immutable or mounted something in it; a later terminal tries again.
    await removePrivateDirectory(directory);
  }

  /** Returns the directory that all shells share. When it cannot be created, the next start tries again. */
  async #sharedDirectory(): Promise<string> {
    this.#directory ??= terminalDirectory();
    try {
      return await this.#directory;
    } catch (error) {
      this.#directory = undefined;
      throw new ToolError('unusable', `There is no place for the files of a terminal below ${tmpdir()}.`, {
        cause: error,
      });
    }
  }
}

async function backendFor(pty: boolean | undefined): Promise<ShellBackend> {
  if (pty === false) return pipeBackend;
  const backend = await ptyBackend();
  if (backend !== undefined) return backend;
  if (pty) throw new ToolError('unusable', 'The library for pseudo terminals cannot be loaded on this machine.');
  return pipeBackend;
}

/** Returns true if a directory exists at the path. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
