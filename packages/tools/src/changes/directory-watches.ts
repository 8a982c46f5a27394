import { type FSWatcher, mkdtempSync, renameSync, watch, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import { privateDirectory } from '@varve/sandbox';

/** Kernels keep about a kilobyte for each, and permit a user some ten thousand. */
const maxWatches = 16_384;
/** Events from which on the kernel may have dropped some: its queue has 16,384 by default. */
const maxEvents = 8_000;
/** Time within which the event of the mark arrives, unless events were dropped. */
const markMs = 2_000;

/**
 * Watches of directories on Linux. The kernel queues the events of all of them in one order, so that once the event of
 * a mark has arrived, those of all changes before it have.
 */
export class DirectoryWatches {
  readonly #watchers = new Map<string, FSWatcher>();
  #markDirectory = '';
  #marker: FSWatcher | undefined;
  #changed = new Set<string>();
  #events = 0;
  #isComplete = process.platform === 'linux';
  #mark = 0;
  #onMark: (name: string) => void = () => undefined;

  constructor() {
    if (!this.#isComplete) return;
    try {
      this.#markDirectory = mkdtempSync(join(privateDirectory(), 'varve-mark-'));
      writeFileSync(join(this.#markDirectory, '0'), '');
      this.#marker = watch(this.#markDirectory, { persistent: false }, (_type, name) => this.#onMark(name ?? ''));
      this.#marker.on('error', () => this.#giveUp());
    } catch {
      // The disk is full, or the user has no watch left.
      this.#giveUp();
    }
  }

  /** Returns false once directories are not watched: each look for changes then has to walk. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  has(directory: string): boolean {
    return this.#watchers.has(directory);
  }

  /** Begins to watch a directory, absolute. */
  add(directory: string): void {
    if (!this.#isComplete) return;
    this.#watchers.get(directory)?.close();
    if (this.#watchers.size >= maxWatches) return this.#giveUp();
    try {
      const watcher = watch(directory, { persistent: false }, (_type, name) => {
        this.#events += 1;
        this.#changed.add(name === null ? directory : join(directory, name));
      });
      watcher.on('error', () => this.#changed.add(directory));
      this.#watchers.set(directory, watcher);
    } catch (error) {
      const code = error instanceof Error ? errnoOf(error) : undefined;
      // One that is gone already has its own event, and one that may not be read is left out, as a walk does.
      if (code === 'ENOENT') this.#changed.add(directory);
      else if (code !== 'EACCES') this.#giveUp();
    }
  }

  /** Ends the watches of a directory and of those below it. */
  remove(directory: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== directory && !path.startsWith(`${directory}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  /** Returns the paths that changed since the last call, absolute; undefined if some may be missing. */
  async changes(): Promise<ReadonlySet<string> | undefined> {
    const isMarked = this.#isComplete && (await this.#waitForMark());
    const changed = this.#changed;
    const isAll = isMarked && this.#events < maxEvents;
    this.#changed = new Set();
    this.#events = 0;
    return isAll ? changed : undefined;
  }

  async close(): Promise<void> {
    this.#marker?.close();
    this.#giveUp();
    if (this.#markDirectory !== '') await rm(this.#markDirectory, { recursive: true, force: true });
  }

  async #waitForMark(): Promise<boolean> {
    const before = String(this.#mark);
    this.#mark += 1;
    const mark = String(this.#mark);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, markMs, false);
    this.#onMark = (name) => {
      if (name === mark) resolve(true);
    };
    try {
      // One call of the system, a twentieth of the time of a new file.
      renameSync(join(this.#markDirectory, before), join(this.#markDirectory, mark));
      return await promise;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  #giveUp(): void {
    this.#isComplete = false;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
