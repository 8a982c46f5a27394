import { rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '../../files/make-directories.ts';
import type { ShellBackend } from './shell-process.ts';
import { commandEnd, environmentFile, isComplete, secretsFile, startupFile } from './startup-file.ts';

/** Content of the startup file of a session. */
export interface SessionStartup {
  readonly backend: ShellBackend['name'];
  /** Exported variables and functions of another session, as bash code. */
  readonly exported?: string | undefined;
}

/** Files by which a session and its shell exchange data that is too long, or too private, for a line of input. */
export class SessionFiles {
  readonly #directory: string;
  readonly #nonce: string;

  /** `directory` is readable by this user only and used by this session only; `nonce` has 16 hexadecimal digits. */
  constructor(directory: string, nonce: string) {
    this.#directory = directory;
    this.#nonce = nonce;
  }

  /** Writes the startup file of the shell and returns its path. */
  async startup({ backend, exported }: SessionStartup): Promise<string> {
    const inherit = exported === undefined ? undefined : await this.#write('inherited', exported);
    const environmentFiles = this.#environmentFiles();
    const text = startupFile({
      nonce: this.#nonce,
      backend,
      environmentFiles,
      ...(inherit !== undefined && { inherit }),
    });
    return this.#write('startup', text);
  }

  /** Writes the file of a command and returns its path. */
  async command(text: string): Promise<string> {
    return this.#write('command', text + commandEnd(this.#nonce));
  }

  /** Writes the file of a command's secrets and returns its path; undefined when there are none. */
  async secrets(secrets: Readonly<Record<string, string>>): Promise<string | undefined> {
    return Object.keys(secrets).length === 0 ? undefined : this.#write('secrets', secretsFile(secrets));
  }

  /** Removes the file of secrets, which exists if its command was interrupted before it read them. */
  forgetSecrets(): void {
    rmSync(join(this.#directory, 'secrets'), { force: true });
  }

  /**
   * Returns the exported variables and functions of the shell at the prompt with this number, one of the last two, as
   * bash code. Undefined when they were not stored completely.
   */
  async exported(prompt: number): Promise<string | undefined> {
    const text = await readFile(environmentFile(this.#environmentFiles(), prompt), 'utf8').catch(() => '');
    return isComplete(text) ? text : undefined;
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true }).catch(() => undefined);
  }

  #environmentFiles(): string {
    return join(this.#directory, 'environment-');
  }

  /** Writes a file, in a new directory if a command has removed the old one. */
  async #write(name: string, text: string): Promise<string> {
    makeDirectories(this.#directory, 0o700);
    const path = join(this.#directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }
}
