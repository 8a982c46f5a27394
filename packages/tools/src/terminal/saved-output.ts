import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file that takes the whole text of an output that is too long to show. Written as the text comes and at once, so that
 * memory stays small however much a program writes; named after its content in the end, so that equal outputs share one.
 */
export class SavedOutput {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #path: string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#path = join(directory, `${randomUUID()}.tmp`);
    this.#file = openSync(this.#path, 'wx', 0o600);
  }

  /** Text after the limit is not kept. */
  write(text: string): void {
    if (this.#bytes >= this.#maxBytes) return;
    const bytes = Buffer.from(text);
    const kept = bytes.subarray(0, this.#maxBytes - this.#bytes);
    this.#hash.update(kept);
    for (let at = 0; at < kept.length; at += writeSync(this.#file, kept, at));
    this.#bytes += kept.length;
  }

  /** Ends the file and returns its path: `terminal_output_<8 hex>.txt`. */
  finish(): string {
    closeSync(this.#file);
    const path = join(this.#directory, `terminal_output_${this.#hash.digest('hex').slice(0, 8)}.txt`);
    renameSync(this.#path, path);
    return path;
  }

  /** Removes the file. */
  discard(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}
