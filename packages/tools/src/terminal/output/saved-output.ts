import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { removePrivateFile } from '../../files/private-file.ts';

/**
 * File with the whole text of an output that is too long to show. Written synchronously as the text arrives, so that
 * memory use does not depend on the size of the output; named after its content at the end, so that equal outputs share
 * a file. A file that cannot be written is abandoned: the disk may be full, or a command may have removed the
 * directory.
 */
export class SavedOutput {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  /** Undefined when the file was abandoned. */
  #file: number | undefined;
  #bytes = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#path = join(directory, `${randomUUID()}.tmp`);
    this.#orGiveUp(() => {
      makeDirectories(directory, 0o700);
      this.#file = openSync(this.#path, 'wx', 0o600);
    });
  }

  /** Appends text; text beyond the limit is dropped. */
  write(text: string): void {
    const file = this.#file;
    if (file === undefined || this.#bytes >= this.#maxBytes) return;
    const bytes = Buffer.from(text);
    const kept = bytes.subarray(0, this.#maxBytes - this.#bytes);
    this.#hash.update(kept);
    this.#orGiveUp(() => {
      for (let at = 0; at < kept.length; at += writeSync(file, kept, at));
    });
    this.#bytes += kept.length;
  }

  /** Closes the file and returns its path, `terminal_output_<8 hex>.txt`; undefined when it was abandoned. */
  finish(): string | undefined {
    const path = join(this.#directory, `terminal_output_${this.#hash.digest('hex').slice(0, 8)}.txt`);
    this.#orGiveUp(() => {
      if (this.#file !== undefined) renameSync(this.#path, path);
    });
    if (this.#file === undefined) return undefined;
    closeSync(this.#file);
    return path;
  }

  /** Removes the file. */
  discard(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    removePrivateFile(this.#path);
  }

  #orGiveUp(work: () => void): void {
    try {
      work();
    } catch {
      this.discard();
    }
  }
}
