import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';
import type { Cut, Signer } from '../contract/statement.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { type CheckedAppend, planAppend, type PlannedEvent } from '../kit/append.ts';
import { eventName, sidecarOf, slugOf } from './event-file.ts';
import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import type { Lease } from './lease.ts';
import type { LinkFile } from './link-file.ts';
import type { FileContent, MetaChange, MetaFiles } from './meta-files.ts';
import type { Paths } from './paths.ts';
import { maskQuarantine, quarantineFiles, type QuarantineOptions } from './quarantine.ts';
import { cutLog, replaceTexts } from './rewrite-log.ts';
import type { SealWriter } from './seals.ts';

/** What appends are made with. */
export interface AppenderOptions extends QuarantineOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly lease: Lease;
  readonly index: EventIndex;
  readonly seals: SealWriter;
  readonly metaFiles: MetaFiles;
  readonly linkFile: LinkFile;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/** A checked append with its `meta` as JSON value. */
export type DirectoryAppend = Omit<CheckedAppend, 'metaText'> & MetaChange;

/** What one append writes. */
interface AppendWrite {
  readonly events: readonly PlannedEvent[];
  readonly signer?: Signer | undefined;
  readonly replacements: readonly FileContent[];
  /** Whether the conversation is another one afterwards, for listings. */
  readonly isChange: boolean;
}

/** A staged file and where it goes. */
interface StagedFile {
  readonly staged: string;
  readonly path: string;
}

/** Files staged at the same time: bounds the descriptors that a long append needs. */
const stagedAtOnce = 32;

/** Appends to one log, one append after the other, in the order of the calls. */
export class Appender {
  readonly #options: AppenderOptions;
  #queue: Promise<unknown> = Promise.resolve();
  /** Set while names of events may not be on the disk: a resend that finds them has to wait for it, too. */
  #isUnsynced = false;
  /** Of the index, when the log was last seen as the caller knows it. */
  #version: number;

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#version = options.index.version;
  }

  async append(append: DirectoryAppend): Promise<readonly number[]> {
    return this.#inTurn(async () => this.#append(append));
  }

  /** @see ProofWriter.cut */
  async cut(seq: number): Promise<Cut> {
    return this.#inTurn(async () => {
      this.#check();
      const cut = await cutLog(this.#options, seq);
      this.#version = this.#options.index.version;
      return cut;
    });
  }

  /** @see ProofWriter.replace */
  async replace(replacements: readonly TextReplacement[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#check();
      await replaceTexts(this.#options, replacements);
    });
  }

  /** @see ProofWriter.maskQuarantine */
  async maskQuarantine(mask: (text: string) => string): Promise<number> {
    return this.#inTurn(async () => {
      this.#check();
      return maskQuarantine(this.#options, mask);
    });
  }

  /** Resolves when the appends called so far are done and the files beside the log have caught up with them. */
  async drain(): Promise<void> {
    await this.#queue;
    await this.#write({ events: [], replacements: this.#options.metaFiles.staleFiles(), isChange: false });
    this.#options.seals.flush();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #append({ events, meta, expectedHead, signer, statements }: DirectoryAppend): Promise<readonly number[]> {
    const { id, index, metaFiles, seals } = this.#options;
    this.#check();
    const find = (eventId: string): Stored | undefined => this.#find(eventId);
    const { seqs, fresh } = planAppend(events, { id, head: index.head, expectedHead, find });
    const replacements = meta === undefined ? [] : metaFiles.replacements({ meta, events: fresh });
    // A foreign writer may have appended.
    if (fresh.length > 0 || signer) await seals.catchUp();
    await this.#write({ events: fresh, signer, replacements, isChange: fresh.length > 0 || meta !== undefined });
    if (signer && events.length === 0) seals.sign(signer);
    seals.addStatements(statements);
    if ((signer && index.head > 0) || statements.length > 0) await seals.sync();
    return seqs;
  }

  /** @throws {StorageError} `fenced`, or `conflict` when somebody else changed the log and left the lease alone. */
  #check(): void {
    const { id, lease, index } = this.#options;
    lease.check();
    index.rescanIfChanged();
    if (index.version === this.#version) return;
    this.#version = index.version;
    throw this.#conflict(`Somebody else changed conversation ${id}: it has ${index.head} events now.`);
  }

  /** Of what another process did. It may have taken the lease first, after that was looked at: then nobody is told to retry. */
  #conflict(message: string, cause?: unknown): StorageError {
    this.#options.lease.check();
    return new StorageError('conflict', message, { cause });
  }

  #find(eventId: string): Stored | undefined {
    const { index } = this.#options;
    const seq = index.seqOf(eventId);
    return seq === undefined ? undefined : index.page(seq, seq + 1)[0];
  }

  async #write(write: AppendWrite): Promise<void> {
    const { files, paths } = this.#options;
    const labels = write.events.flatMap((event) => sidecarFile(paths, event) ?? []);
    const contents = write.events.map((event) => ({ path: eventPath(paths, event), text: event.text }));
    const moves: StagedFile[] = [];
    try {
      await this.#stage([...labels, ...contents, ...write.replacements], moves);
      await this.#placeSidecars(moves.slice(0, labels.length));
      await this.#place(write, moves.slice(labels.length));
    } finally {
      for (const { staged } of moves) files.remove(staged);
    }
  }

  async #stage(contents: readonly FileContent[], moves: StagedFile[]): Promise<void> {
    const { files, lease } = this.#options;
    for (let next = 0; next < contents.length; next += stagedAtOnce) {
      const chunk = contents.slice(next, next + stagedAtOnce).map(({ path, text }) => {
        const staged = lease.stagedPath();
        moves.push({ staged, path });
        return files.writeAndFsync(staged, text);
      });
      // All of them end before anything is removed.
      const failed = (await Promise.allSettled(chunk)).find((result) => result.status === 'rejected');
      if (failed) lease.unlessFenced(() => raise(failed.reason));
    }
  }

  async #placeSidecars(labels: readonly StagedFile[]): Promise<void> {
    const { files, paths, lease } = this.#options;
    if (labels.length === 0) return;
    if (!files.status(paths.sidecars)) lease.unlessFenced(() => files.makeDirectory(paths.sidecars));
    for (const { staged, path } of labels) lease.unlessFenced(() => files.rename(staged, path));
    await files.fsync(paths.own);
    await files.fsync(paths.sidecars);
  }

  /** Puts events and then the files beside the log in place; when one event fails, those before it stay. */
  async #place(write: AppendWrite, moves: readonly StagedFile[]): Promise<void> {
    const { index, metaFiles, seals } = this.#options;
    if (write.events.length > 0) await quarantineFiles(this.#options, index.blockingFiles);
    this.#check();
    index.isWriting = true;
    const placed: PlannedEvent[] = [];
    let isWritten = false;
    try {
      this.#move(write, moves, placed);
      isWritten = write.replacements.length > 0;
      await this.#sync(isWritten);
    } finally {
      for (const event of placed) index.add(event);
      metaFiles.recordAppend(placed, { isWritten });
      index.isWriting = false;
      // Last, because a signer is somebody else's code.
      seals.add(placed, write.signer);
    }
  }

  /** Waits for nothing, so between the look at `events/` and its new stamp only other processes can come. */
  #move({ events, isChange }: AppendWrite, moves: readonly StagedFile[], placed: PlannedEvent[]): void {
    const { files, lease, index, now } = this.#options;
    try {
      for (const [at, { staged, path }] of moves.entries()) {
        const event = events[at];
        if (!event) lease.unlessFenced(() => files.rename(staged, path));
        else {
          this.#placeEvent({ staged, path });
          this.#isUnsynced = true;
          placed.push(event);
        }
      }
    } finally {
      if (isChange) index.advanceMtime(now());
    }
  }

  #placeEvent({ staged, path }: StagedFile): void {
    const { id, lease, linkFile: place } = this.#options;
    try {
      lease.unlessFenced(() => place(staged, path));
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      throw this.#conflict(`Somebody else put ${path} into conversation ${id}.`, error);
    }
  }

  async #sync(isWritten: boolean): Promise<void> {
    const { files, paths } = this.#options;
    if (this.#isUnsynced) await files.fsync(paths.events);
    this.#isUnsynced = false;
    if (isWritten) await Promise.all([files.fsync(paths.directory), files.fsync(paths.own)]);
  }
}

function sidecarFile(paths: Paths, event: NewEvent): FileContent | undefined {
  const text = sidecarOf(event);
  return text === undefined ? undefined : { path: join(paths.sidecars, `${slugOf(event.id)}.json`), text };
}

function eventPath(paths: Paths, { seq, id }: PlannedEvent): string {
  return join(paths.events, eventName({ seq, slug: slugOf(id) }));
}

function raise(error: unknown): never {
  throw error;
}
