import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  readPrivateFile,
  removePrivateDirectory,
  removePrivateFile,
  writePrivateFile,
} from '../../files/private-file.ts';
import type { ShellBackend } from './shell-process.ts';
import { commandEnd, stateFile, isComplete, secretsFile, startupFile } from './startup-file.ts';

/** Content of the startup file of a session. */
export interface SessionStartup {
  readonly backend: ShellBackend['name'];
  /** Variables, functions and aliases of another session, as bash code. */
  readonly state?: string | undefined;
}

/** A larger state is not passed on; programs could not start with such variables. */
const maxStateBytes = 16 * 1024 * 1024;

/** Directory of the session to which its shell writes. */
export const stateDirectory = 'state';

/**
 * Files by which a session and its shell exchange data that is too long, or too private, for a line of input. In a
 * sandbox the shell only reads them, and writes its state in a directory of its own. Without one commands can reach
 * them: whatever they put in the place of a file or of its directory is replaced.
 */
export class SessionFiles {
  readonly #directory: string;
  readonly #nonce: string;
  #hasSecrets = false;

  /** `directory` is readable by this user only and used by this session only; `nonce` has 16 hexadecimal digits. */
  constructor(directory: string, nonce: string) {
    this.#directory = directory;
    this.#nonce = nonce;
  }

  /** Writes the startup file of the shell and returns its path. */
  startup({ backend, state }: SessionStartup): string {
    this.#restore(join(this.#directory, stateDirectory));
    const inherit = state === undefined ? undefined : this.#write('inherited', state);
    const stateFiles = this.#stateFiles();
    const text = startupFile({
      nonce: this.#nonce,
      backend,
      stateFiles,
      ...(inherit !== undefined && { inherit }),
    });
    return this.#write('startup', text);
  }

  /** Writes the file of a command and returns its path. */
  command(text: string): string {
    return this.#write('command', text + commandEnd(this.#nonce));
  }

  /** Writes the file of a command's secrets and returns its path; undefined when there are none. */
  secrets(secrets: Readonly<Record<string, string>>): string | undefined {
    if (Object.keys(secrets).length === 0) return undefined;
    this.#hasSecrets = true;
    return this.#write('secrets', secretsFile(secrets));
  }

  /** Removes the file of secrets; it has a content if its command was interrupted before it read them. */
  forgetSecrets(): void {
    if (this.#hasSecrets) removePrivateFile(join(this.#directory, 'secrets'));
    this.#hasSecrets = false;
  }

  /**
   * Returns variables, functions and aliases of the shell at the prompt with this number, one of the last two, as bash
   * code. Undefined when they were not stored completely.
   */
  state(prompt: number): string | undefined {
    const text = readPrivateFile(stateFile(this.#stateFiles(), prompt), maxStateBytes) ?? '';
    return isComplete(text) ? text : undefined;
  }

  async remove(): Promise<void> {
    // Not through a link that a command has put in the place of the directory above.
    const above = await lstat(dirname(this.#directory)).catch(() => undefined);
    if (above?.isDirectory()) await removePrivateDirectory(this.#directory);
  }

  #stateFiles(): string {
    return join(this.#directory, stateDirectory, 'state-');
  }

  /** Writes a file, in a new directory if a command has removed or replaced the old one. */
  #write(name: string, text: string): string {
    this.#restore();
    const path = join(this.#directory, name);
    writePrivateFile(path, text);
    return path;
  }

  #restore(...below: readonly string[]): void {
    for (const directory of [dirname(this.#directory), this.#directory, ...below]) restoreDirectory(directory);
  }
}

/** Makes sure that the path is a directory that its owner can change, and no link; any other file there is removed. */
function restoreDirectory(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) {
    rmSync(path, { force: true });
    mkdirSync(path, { mode: 0o700 });
  } else if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
}
