import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import type { NewEvent } from '../contract/log.ts';
import type { Signer } from '../contract/statement.ts';
import type { PlannedEvent } from '../kit/append.ts';
import { eventName, sidecarOf, slugOf } from './layout/event-file.ts';
import type { LinkFile } from './layout/link-file.ts';
import type { LogContext } from './log-context.ts';
import type { LogGuard } from './log-guard.ts';
import type { FileContent, MetaFiles } from './meta-files.ts';
import type { Paths } from './layout/paths.ts';
import { quarantineFiles } from './quarantine.ts';

/** Options of `EventWriter`. */
export interface EventWriterOptions extends LogContext {
  readonly metaFiles: MetaFiles;
  readonly linkFile: LinkFile;
}

/** Events and metadata files to write in one append. */
export interface LogWrite {
  readonly events: readonly PlannedEvent[];
  readonly signer?: Signer | undefined;
  readonly metadata: readonly FileContent[];
  /** True if the append changes `Summary.updatedAt`. */
  readonly isUpdate: boolean;
}

/** A file in the lease holder's stage, and its destination. */
interface StagedFile {
  readonly staged: string;
  readonly path: string;
}

/** Limits the number of open files during a long append. */
const maxConcurrentWrites = 32;

/**
 * Writes the files of an append: stages all of them with `fsync`, then moves sidecars, events and metadata into place,
 * in this order, and syncs the directories.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #guard: LogGuard;
  /** True while names in `events/` may not be on the disk: a resend of those events has to sync them too. */
  #isUnsynced = false;

  constructor(options: EventWriterOptions, guard: LogGuard) {
    this.#options = options;
    this.#guard = guard;
  }

  /**
   * Writes an append. If it fails, a prefix of the events may be in the log.
   *
   * @throws {StorageError} `fenced`, `conflict`.
   */
  async write(write: LogWrite): Promise<void> {
    const { files, paths } = this.#options;
    const sidecars = write.events.flatMap((event) => sidecarFile(paths, event) ?? []);
    const events = write.events.map((event) => ({ path: eventPath(paths, event), text: event.text }));
    const staged: StagedFile[] = [];
    try {
      await this.#stage([...sidecars, ...events, ...write.metadata], staged);
      await this.#placeSidecars(staged.slice(0, sidecars.length));
      await this.#place(write, staged.slice(sidecars.length));
    } finally {
      for (const file of staged) files.remove(file.staged);
    }
  }

  async #stage(contents: readonly FileContent[], stagedFiles: StagedFile[]): Promise<void> {
    const { files, lease } = this.#options;
    for (let next = 0; next < contents.length; next += maxConcurrentWrites) {
      const chunk = contents.slice(next, next + maxConcurrentWrites).map(({ path, text }) => {
        const staged = lease.stagedPath();
        stagedFiles.push({ staged, path });
        return files.writeAndFsync(staged, text);
      });
      // Waits for all writes, so that no file appears after the cleanup.
      const failed = (await Promise.allSettled(chunk)).find((result) => result.status === 'rejected');
      if (failed) lease.unlessFenced(() => raise(failed.reason));
    }
  }

  async #placeSidecars(sidecars: readonly StagedFile[]): Promise<void> {
    const { files, paths, lease } = this.#options;
    if (sidecars.length === 0) return;
    if (!files.status(paths.sidecars)) lease.unlessFenced(() => files.makeDirectory(paths.sidecars));
    for (const { staged, path } of sidecars) lease.unlessFenced(() => files.rename(staged, path));
    await files.fsync(paths.own);
    await files.fsync(paths.sidecars);
  }

  /** Moves events and then metadata into place. If one event fails, those before it stay in the log. */
  async #place(write: LogWrite, staged: readonly StagedFile[]): Promise<void> {
    const { index, metaFiles, seals } = this.#options;
    if (write.events.length > 0) await quarantineFiles(this.#options, index.blockingFiles);
    this.#guard.check();
    index.isWriting = true;
    const placed: PlannedEvent[] = [];
    let isWritten = false;
    try {
      this.#moveIntoPlace(write, staged, placed);
      isWritten = write.metadata.length > 0;
      await this.#sync(isWritten);
    } finally {
      for (const event of placed) index.add(event);
      metaFiles.recordAppend(placed, { isWritten });
      index.isWriting = false;
      // Sealing is last because a signer is the caller's code.
      seals.add(placed, write.signer);
    }
  }

  /** Synchronous, so that only other processes can change `events/` between the check and the new modification time. */
  #moveIntoPlace({ events, isUpdate }: LogWrite, staged: readonly StagedFile[], placed: PlannedEvent[]): void {
    const { files, lease, index, now } = this.#options;
    try {
      for (const [at, file] of staged.entries()) {
        const event = events[at];
        if (!event) lease.unlessFenced(() => files.rename(file.staged, file.path));
        else {
          this.#linkEvent(file);
          this.#isUnsynced = true;
          placed.push(event);
        }
      }
    } finally {
      if (isUpdate) index.advanceMtime(now());
    }
  }

  #linkEvent({ staged, path }: StagedFile): void {
    const { id, lease, linkFile } = this.#options;
    try {
      lease.unlessFenced(() => linkFile(staged, path));
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      throw this.#guard.conflict(`Another process put ${path} into conversation ${id}.`, error);
    }
  }

  async #sync(isMetadataWritten: boolean): Promise<void> {
    const { files, paths } = this.#options;
    if (this.#isUnsynced) await files.fsync(paths.events);
    this.#isUnsynced = false;
    if (isMetadataWritten) await Promise.all([files.fsync(paths.directory), files.fsync(paths.own)]);
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
