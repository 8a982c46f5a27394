import { join } from 'node:path';
import { StorageError } from '../../contract/error.ts';
import type { Stored } from '../../contract/log-reader.ts';
import type { LogLoss } from '../../contract/loss.ts';
import { type EventFile, eventName, isNameable, parseEventName, readEventFile, slugOf } from './event-file.ts';
import { type Files, type FileStatus, toMs, trySetModifiedTime } from './files.ts';
import { type LogNames, readNames, type ReadNamesOptions } from './list-events.ts';
import type { Paths } from './paths.ts';

/** Options of `EventIndex`. */
export interface EventIndexOptions extends ReadNamesOptions {
  readonly files: Files;
  readonly paths: Paths;
}

/** Two changes within this time may get the same modification time, because clocks of file systems are coarse. */
const tickMs = 50;

/**
 * Names of a log's events, in memory. Compares the modification time of `events/` to find out if they are up to date.
 * Shared by the lease holder's log and all readers in one store. Does not cache contents.
 */
export class EventIndex {
  readonly #options: EventIndexOptions;
  /** Identity of `events/`: a new directory at the same path is another conversation. */
  #identity: string | undefined;
  #isRemoved = false;
  #modifiedNs = -1n;
  /** True if a later change is sure to have another modification time. */
  #isSettled = false;
  #log: LogNames = { names: [], afterGap: [], broken: [], shadowed: [] };
  #names: string[] = [];
  readonly #seqs = new Map<string, number>();
  /** Seqs of events whose id is not in the file name, and their ids once the files were read. */
  #nonstandardSeqs: number[] = [];
  #nonstandardIds: Map<string, number> | undefined;
  /** Seqs of events that were read, and whose files do not contain one. */
  readonly #unreadable = new Set<number>();
  /** True while `events/` contains events that are not acknowledged; readers do not rescan then. */
  isWriting = false;
  /** Increases when a scan finds a different log. */
  version = 0;

  constructor(options: EventIndexOptions) {
    this.#options = options;
  }

  /** Number of events at the last scan. */
  get head(): number {
    return this.#names.length;
  }

  /** Names at the last scan, and events added since. */
  get scanned(): LogNames {
    return { ...this.#log, names: this.#names };
  }

  /** Loss by an unreadable event among those that were read; only reading finds one that is not the last. */
  get unreadable(): LogLoss | undefined {
    const seq = [...this.#unreadable].reduce((a, b) => Math.min(a, b), Infinity);
    if (seq >= this.head) return undefined;
    const { id, paths } = this.#options;
    const place = join(paths.events, this.#names[seq] ?? '');
    const message = `Event ${seq} of conversation ${id} is unreadable: ${place} does not contain an event.`;
    return { seq, end: this.head, reason: 'unreadable', kept: 1, place, quarantine: paths.quarantine, message };
  }

  /** Names of files that are not part of the log, but would become part of it if it grew. */
  get blockingFiles(): readonly string[] {
    return [...this.#log.afterGap, ...this.#log.broken];
  }

  /** Names at the end of the log whose files do not contain an event, last first, at the last scan. */
  get broken(): readonly string[] {
    return this.#log.broken;
  }

  /** Returns the name of an event's file at the last scan. */
  nameOf(seq: number): string | undefined {
    return this.#names[seq];
  }

  /** Returns the names of the events from `seq` on, and of all files that are not part of the log, at the last scan. */
  namesFrom(seq: number): readonly string[] {
    return [...this.#names.slice(seq), ...this.blockingFiles, ...this.#log.shadowed];
  }

  /** UTC milliseconds of the last change of `events/` at the last scan. */
  get updatedAt(): number {
    return toMs(this.#modifiedNs);
  }

  /** Returns false if the conversation was removed or replaced. */
  isAlive(): boolean {
    const { files, paths } = this.#options;
    if (this.#isRemoved) return false;
    return this.#identity === undefined || files.status(paths.events)?.identity === this.#identity;
  }

  /** Marks the conversation as removed; a new one may use its path. */
  markRemoved(): void {
    this.#isRemoved = true;
  }

  /** Rescans if needed, unless events are being written. @throws {StorageError} `missing` if it was removed. */
  refresh(): void {
    if (!this.isWriting) this.rescanIfChanged();
  }

  /** Lists `events/` again if its modification time changed. @throws {StorageError} `missing`. */
  rescanIfChanged(): void {
    const status = this.#status();
    // A broken event may be one that is still being written.
    if (status.modifiedNs === this.#modifiedNs && this.#isSettled && this.#log.broken.length === 0) return;
    this.#isSettled = Math.abs(Number(status.modifiedNs / 1_000_000n) - Date.now()) > tickMs;
    this.#modifiedNs = status.modifiedNs;
    this.#log = readNames(this.#options);
    this.#applyNames(this.#log.names);
  }

  /** Lists `events/` again even if its modification time did not change. @throws {StorageError} `missing`. */
  rescan(): void {
    this.#isSettled = false;
    this.rescanIfChanged();
  }

  /** Adds an event whose file was just written. */
  add(event: { readonly id: string }): void {
    this.#push(eventName({ seq: this.head, slug: slugOf(event.id) }));
  }

  /**
   * Sets the modification time of `events/` to `nowMs`, or to just after the previous one if that is later, so that a
   * change by another process is detected even within one tick of the file system's clock.
   */
  advanceMtime(nowMs: number): void {
    const { files, paths } = this.#options;
    const before = this.#modifiedNs;
    const now = BigInt(Math.trunc(nowMs)) * 1_000_000n;
    // Some file systems only store whole milliseconds or seconds.
    for (let stepNs = 1_000n; stepNs <= 1_000_000_000_000n; stepNs *= 1_000n) {
      trySetModifiedTime(files, paths.events, now > before + stepNs ? now : before + stepNs);
      this.#modifiedNs = this.#status().modifiedNs;
      this.#isSettled = this.#modifiedNs > before;
      if (this.#isSettled) return;
    }
  }

  /** Returns some of the events `from` to `to`, as `LogSource.page` requires. */
  page(from: number, to: number): readonly Stored[] {
    const page: Stored[] = [];
    let characters = 0;
    for (let seq = from; seq < to && page.length < 64 && characters < 1_000_000; seq += 1) {
      const event = this.#read(seq);
      if (!event) break;
      const { id, kind, parentId, text, isBroken } = event;
      if (isBroken) this.#warnBroken(seq);
      else this.#unreadable.delete(seq);
      page.push({ seq, id, kind, parentId, text });
      characters += text.length;
    }
    return page;
  }

  seqOf(id: string): number | undefined {
    return this.#seqs.get(slugOf(id)) ?? this.#readNonstandardIds().get(id);
  }

  #status(): FileStatus {
    const { id, files, paths } = this.#options;
    const status = this.#isRemoved ? undefined : files.status(paths.events);
    this.#identity ??= status?.identity;
    if (status && status.identity === this.#identity) return status;
    // The reference creates `events/` with the first event.
    if (this.#identity === undefined && !this.#isRemoved && files.status(paths.baseState))
      return { identity: '', modifiedNs: 0n, links: 1 };
    throw new StorageError('missing', `Conversation ${id} was removed.`);
  }

  #read(seq: number): EventFile | undefined {
    const name = this.nameOf(seq);
    return name === undefined ? undefined : readEventFile(this.#options, name);
  }

  /** Applies a listing. If the log only grew, adds the new events. */
  #applyNames(names: readonly string[]): void {
    const isGrown = this.#names.every((name, seq) => name === names[seq]);
    if (isGrown && names.length === this.#names.length) return;
    this.version += 1;
    if (!isGrown) {
      this.#names = [];
      this.#nonstandardSeqs = [];
      this.#seqs.clear();
    }
    for (const name of names.slice(this.#names.length)) this.#push(name);
  }

  #push(name: string): void {
    const seq = this.#names.push(name) - 1;
    const slug = parseEventName(name)?.slug ?? name;
    if (!isNameable(slug)) {
      this.#nonstandardSeqs.push(seq);
      this.#nonstandardIds = undefined;
    } else if (this.#seqs.has(slug)) this.#warnSameId(seq, slug);
    else this.#seqs.set(slug, seq);
  }

  #readNonstandardIds(): ReadonlyMap<string, number> {
    this.#nonstandardIds ??= new Map(
      this.#nonstandardSeqs.toReversed().flatMap((seq) => {
        const id = this.#read(seq)?.id;
        return id === undefined ? [] : [[id, seq] as const];
      }),
    );
    return this.#nonstandardIds;
  }

  #warnSameId(seq: number, id: string): void {
    const path = join(this.#options.paths.events, this.#names[seq] ?? '');
    const seqs = `${this.#seqs.get(id)} and ${seq}`;
    const message = `Event ${id} of conversation ${this.#options.id} is in the log twice, at ${seqs}.`;
    this.#options.warn({ code: 'same-id', message, path });
  }

  #warnBroken(seq: number): void {
    this.#unreadable.add(seq);
    const path = join(this.#options.paths.events, this.#names[seq] ?? '');
    this.#options.warn({ code: 'broken-event', message: `${path} does not contain an event.`, path });
  }
}
