import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { Stored } from '../contract/log-reader.ts';
import { type EventFile, eventName, isNameable, parseEventName, readEventFile, slugOf } from './event-file.ts';
import { type Files, type FileStatus, msOf, touch } from './files.ts';
import { type LogNames, readNames } from './list-events.ts';
import type { Paths } from './paths.ts';
import type { DirectoryWarning } from './warnings.ts';

/** Which log an index is of. */
export interface EventIndexOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  /** Is told of each warning once. */
  readonly warn: (warning: DirectoryWarning) => void;
}

/** Within this time of a change another one may leave the same mark: clocks of file systems tick slowly. */
const tickMs = 50;

/**
 * The names of a log's events, in memory: one look at `events/` tells whether they are still right. The log that holds
 * the conversation and all readers of one store share it. Contents are never kept.
 */
export class EventIndex {
  readonly #options: EventIndexOptions;
  /** The directory that this index is of: another one under its name is another conversation. */
  #identity: string | undefined;
  #isRemoved = false;
  #modifiedNs = -1n;
  #isSettled = false;
  #log: LogNames = { names: [], afterGap: [], broken: [], shadowed: [] };
  #names: string[] = [];
  readonly #seqs = new Map<string, number>();
  /** Seqs of names without an id that the reference reads, and the ids in their texts, once these were read. */
  #nonstandardSeqs: number[] = [];
  #nonstandardIds: Map<string, number> | undefined;
  /** Set while events lie there that are not acknowledged: readers do not look then. */
  isWriting = false;
  /** Rises when a look finds another log than before. */
  version = 0;

  constructor(options: EventIndexOptions) {
    this.#options = options;
  }

  /** The number of events when last looked. */
  get head(): number {
    return this.#names.length;
  }

  /** Names of files that are no part of the log, but would be if the log grew. */
  get blockingFiles(): readonly string[] {
    return [...this.#log.afterGap, ...this.#log.broken];
  }

  /** Names at the end of the log whose files hold no event, the last first, when last looked. */
  get broken(): readonly string[] {
    return this.#log.broken;
  }

  /** The name of an event's file, when last looked. */
  nameOf(seq: number): string | undefined {
    return this.#names[seq];
  }

  /** Names of the events from `seq` on, and of all files that are none of the log, when last looked. */
  namesFrom(seq: number): readonly string[] {
    return [...this.#names.slice(seq), ...this.blockingFiles, ...this.#log.shadowed];
  }

  /** UTC milliseconds of the last change of `events/`, when last looked. */
  get updatedAt(): number {
    return msOf(this.#modifiedNs);
  }

  /** Whether the conversation that this index is of is still there. */
  isAlive(): boolean {
    const { files, paths } = this.#options;
    if (this.#isRemoved) return false;
    return this.#identity === undefined || files.status(paths.events)?.identity === this.#identity;
  }

  /** Is told that the conversation was removed; another one may lie in its place. */
  markRemoved(): void {
    this.#isRemoved = true;
  }

  /** Looks, unless events are being written. @throws {StorageError} `missing` when the conversation was removed. */
  refresh(): void {
    if (!this.isWriting) this.rescanIfChanged();
  }

  /** Looks whether somebody else changed `events/`. @throws {StorageError} `missing`. */
  rescanIfChanged(): void {
    const status = this.#status();
    // A broken event may be one that is being written.
    if (status.modifiedNs === this.#modifiedNs && this.#isSettled && this.#log.broken.length === 0) return;
    this.#isSettled = Math.abs(Number(status.modifiedNs / 1_000_000n) - Date.now()) > tickMs;
    this.#modifiedNs = status.modifiedNs;
    this.#log = readNames(this.#options);
    this.#applyNames(this.#log.names);
  }

  /** Looks, even if nothing seems to have changed: this process has changed something. */
  rescan(): void {
    this.#isSettled = false;
    this.rescanIfChanged();
  }

  /** Adds an event whose file was just put there. */
  add(event: { readonly id: string }): void {
    this.#push(eventName({ seq: this.head, slug: slugOf(event.id) }));
  }

  /**
   * Marks `events/` as changed at a time of ours, later than any mark before it, so that a change by somebody else shows
   * even if both happen within one tick of the file system's clock.
   */
  advanceMtime(nowMs: number): void {
    const { files, paths } = this.#options;
    const before = this.#modifiedNs;
    const now = BigInt(Math.trunc(nowMs)) * 1_000_000n;
    // Some file systems keep whole milliseconds or seconds only.
    for (let stepNs = 1_000n; stepNs <= 1_000_000_000_000n; stepNs *= 1_000n) {
      touch(files, paths.events, now > before + stepNs ? now : before + stepNs);
      this.#modifiedNs = this.#status().modifiedNs;
      this.#isSettled = this.#modifiedNs > before;
      if (this.#isSettled) return;
    }
  }

  /** Some of the events `from` to `to`, as a {@link LogSource} gives them. */
  page(from: number, to: number): readonly Stored[] {
    const page: Stored[] = [];
    let characters = 0;
    for (let seq = from; seq < to && page.length < 64 && characters < 1_000_000; seq += 1) {
      const event = this.#read(seq);
      if (!event) break;
      const { id, kind, parentId, text, isBroken } = event;
      if (isBroken) this.#warnBroken(seq);
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
    // The reference makes the directory with the first event.
    if (this.#identity === undefined && !this.#isRemoved && files.status(paths.baseState))
      return { identity: '', modifiedNs: 0n };
    throw new StorageError('missing', `Conversation ${id} was removed.`);
  }

  #read(seq: number): EventFile | undefined {
    const name = this.nameOf(seq);
    return name === undefined ? undefined : readEventFile(this.#options, name);
  }

  /** Takes over a listing. A log that only grew costs its new events. */
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
    } else if (this.#seqs.has(slug)) this.#warnTwice(seq, slug);
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

  #warnTwice(seq: number, id: string): void {
    const path = join(this.#options.paths.events, this.#names[seq] ?? '');
    const message = `Event ${id} of conversation ${this.#options.id} is there as ${this.#seqs.get(id)} and as ${seq}.`;
    this.#options.warn({ code: 'same-id', message, path });
  }

  #warnBroken(seq: number): void {
    const path = join(this.#options.paths.events, this.#names[seq] ?? '');
    this.#options.warn({ code: 'broken-event', message: `${path} holds no event.`, path });
  }
}
