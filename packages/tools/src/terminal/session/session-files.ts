import { rmSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShellBackend } from './shell-process.ts';
import { environmentFile, isComplete, secretsFile, startupFile } from './startup-file.ts';

/** What a shell is started with, besides its program. */
export interface SessionStartup {
  readonly nonce: string;
  readonly backend: ShellBackend['name'];
  /** What another session exported. */
  readonly exported?: string | undefined;
}

/** The files by which a session and its shell tell each other what is too long, or too private, for a line. */
export class SessionFiles {
  readonly #directory: string;

  /** Only this user can read the directory, and no other session uses it. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes what the shell reads first, and returns its path. */
  async startup({ nonce, backend, exported }: SessionStartup): Promise<string> {
    const inherit = exported === undefined ? undefined : await this.#write('inherited', exported);
    const environmentFiles = this.#environmentFiles();
    const text = startupFile({ nonce, backend, environmentFiles, ...(inherit !== undefined && { inherit }) });
    return this.#write('startup', text);
  }

  /** Writes a command, and returns its path. */
  async command(text: string): Promise<string> {
    return this.#write('command', text);
  }

  /** Writes the secrets of a command, and returns their path; nothing when there are none. */
  async secrets(secrets: Readonly<Record<string, string>>): Promise<string | undefined> {
    return Object.keys(secrets).length === 0 ? undefined : this.#write('secrets', secretsFile(secrets));
  }

  /** A command that was interrupted early has not read them. */
  forgetSecrets(): void {
    rmSync(join(this.#directory, 'secrets'), { force: true });
  }

  /** What the shell exported at the prompt with this number, one of the last two. Undefined when that is not known. */
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

  /** A command may have removed the directory, with everything else among the temporary files. */
  async #write(name: string, text: string): Promise<string> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }
}
