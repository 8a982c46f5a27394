import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type { Holder, Summary } from '@varve/storage';
import { addToLog, diskError, loadedLog, type SealedAppend } from '@varve/storage/kit';

/**
 * A line of a conversation's file. A line with a holder takes the lease if its epoch is the next one; any other line is
 * valid only in the current epoch. So the order of the lines decides which process holds the lease, and everything that
 * a former holder adds is ignored.
 */
export interface Line extends Partial<Pick<SealedAppend, 'events' | 'statements'>> {
  readonly epoch: number;
  readonly holder?: Holder | undefined;
  /** Expiry of the lease, UTC milliseconds. */
  readonly until: number;
  /** UTC milliseconds; absent in a line that changes only the lease. */
  readonly at?: number | undefined;
  /** JSON of the new `meta`. */
  readonly meta?: string | undefined;
  /** In the first line; absent without one. */
  readonly owner?: string | undefined;
}

/** A conversation: the fold of the lines in its file. */
export class ConversationFile {
  readonly id: string;
  readonly log;
  updatedAt = 0;
  lease: Pick<Line, 'epoch' | 'holder' | 'until'> = { epoch: 0, until: 0 };
  readonly #descriptor: number;
  #createdAt: number | undefined;
  #owner: string | undefined;
  #meta = 'null';
  #offset = 0;
  #addedKey = '';

  /** Opens the file, or creates an empty one, which becomes a conversation with its first line. */
  constructor(id: string, path: string) {
    this.id = id;
    this.log = loadedLog(id);
    this.#descriptor = fs.openSync(path, 'a+', 0o600);
    this.refresh();
  }

  /** False before the first line is added, and after the file was removed. */
  get exists(): boolean {
    return this.lease.epoch > 0 && fs.fstatSync(this.#descriptor).nlink > 0;
  }

  get summary(): Summary {
    const { id, updatedAt } = this;
    const createdAt = this.#createdAt ?? 0;
    const owned = this.#owner === undefined ? {} : { owner: this.#owner };
    return { id, createdAt, updatedAt, head: this.log.events.length, meta: JSON.parse(this.#meta), ...owned };
  }

  /** Reads the lines that were added by any process since the last call. */
  refresh(): void {
    const added = Buffer.alloc(fs.fstatSync(this.#descriptor).size - this.#offset);
    fs.readSync(this.#descriptor, added, 0, added.length, this.#offset);
    const end = added.lastIndexOf('\n') + 1;
    for (const text of added.toString('utf8', 0, end).split('\n')) this.#fold(text);
    this.#offset += end;
  }

  /** Adds a line and waits for the disk. Returns true if the line is valid. @throws {StorageError} `full`, `io`. */
  add(line: Line): boolean {
    this.#addedKey = randomUUID();
    try {
      // The line feed in front ends a line that a crash has cut off.
      fs.writeFileSync(this.#descriptor, `\n${JSON.stringify({ key: this.#addedKey, ...line })}\n`);
      fs.fsyncSync(this.#descriptor);
    } catch (error) {
      throw diskError(error);
    }
    this.refresh();
    return this.#addedKey === '' && this.exists;
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  #fold(text: string): void {
    const line = lineIn(text);
    if (line?.epoch !== this.lease.epoch + (line?.holder ? 1 : 0)) return;
    if (line.key === this.#addedKey) this.#addedKey = '';
    this.lease = { holder: line.holder ?? this.lease.holder, epoch: line.epoch, until: line.until };
    addToLog(this.log, line);
    this.#meta = line.meta ?? this.#meta;
    this.#createdAt ??= line.at;
    this.#owner ??= line.owner;
    this.updatedAt = line.at ?? this.updatedAt;
  }
}

function lineIn(text: string): (Line & { readonly key: string }) | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Empty, or cut off by a crash.
  }
}
