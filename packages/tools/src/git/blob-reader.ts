import { spawn } from 'node:child_process';
import { gitEnvironment } from './git-environment.ts';
import { inheritedEnvironment } from './run-git.ts';

/** Time for one read, and after the last one until the process ends. */
const timeoutMs = 30_000;
const idleMs = 5_000;

/** Process of git that reads blobs. */
interface Reading {
  /** Requests blobs; resolves with those that are read until the process ends, or fails. */
  readonly read: (blobs: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;
  readonly end: () => void;
  readonly isEnded: () => boolean;
}

/** Reads blobs of a repository with one process of git: its start takes most of the time. Calls must not overlap. */
export class BlobReader {
  readonly #directory: string;
  #process: Reading | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns blobs by their hashes; none of those that are missing or cannot be read. */
  async read(blobs: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    if (blobs.length === 0) return new Map();
    clearTimeout(this.#idle);
    if (this.#process?.isEnded() !== false) this.#process = startReading(this.#directory);
    const timer = setTimeout(() => this.close(), timeoutMs);
    try {
      return await this.#process.read(blobs);
    } finally {
      clearTimeout(timer);
      this.#idle = setTimeout(() => this.close(), idleMs);
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#process?.end();
  }
}

function startReading(directory: string): Reading {
  const child = spawn('git', ['--no-pager', 'cat-file', '--batch'], {
    cwd: directory,
    env: { ...inheritedEnvironment(), ...gitEnvironment({}) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let isEnded = false;
  let onBytes: ((bytes?: Buffer) => void) | undefined;
  child.stdout.on('data', (bytes: Buffer) => onBytes?.(bytes));
  child.stdin.on('error', () => undefined);
  for (const event of ['error', 'close'] as const)
    child.on(event, () => {
      isEnded = true;
      onBytes?.();
    });
  return {
    async read(blobs) {
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, Buffer>>();
      const found = new Map<string, Buffer>();
      let [left, chunks, needed] = [blobs.length, [] as Buffer[], 0];
      onBytes = (bytes) => {
        if (!bytes) return resolve(found);
        chunks.push(bytes);
        needed -= bytes.length;
        if (needed > 0) return;
        const parsed = parseBlobs(Buffer.concat(chunks), found);
        [chunks, needed, left] = [[parsed.rest], parsed.needed, left - parsed.count];
        if (left === 0) resolve(found);
      };
      child.stdin.write(`${blobs.join('\n')}\n`);
      return promise;
    },
    end() {
      isEnded = true;
      child.kill('SIGKILL');
    },
    isEnded: () => isEnded,
  };
}

/** Adds the complete blobs of an output to a map; `needed` are the bytes that an incomplete one lacks at least. */
function parseBlobs(output: Buffer, found: Map<string, Buffer>) {
  let [at, count] = [0, 0];
  for (;;) {
    const end = output.indexOf('\n', at);
    if (end === -1) return { rest: output.subarray(at), needed: 1, count };
    const [, hash = '', type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(output.toString('latin1', at, end)) ?? [];
    const next = size === undefined ? end + 1 : end + 2 + Number(size);
    if (next > output.length) return { rest: output.subarray(at), needed: next - output.length, count };
    if (type === 'blob') found.set(hash, Buffer.from(output.subarray(end + 1, next - 1)));
    at = next;
    count += 1;
  }
}
