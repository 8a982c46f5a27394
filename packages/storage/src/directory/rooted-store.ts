import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type {
  CountQuery,
  EventStore,
  ListQuery,
  OpenOptions,
  Page,
  RemoveOptions,
  Summary,
} from '../contract/store.ts';
import { checkExpectedMeta, checkOwnerName, checkStoreOpen } from '../kit/checks.ts';
import { checkId } from '../kit/conversation-id.ts';
import { scanFacts } from '../kit/facts.ts';
import type { Holder } from '../kit/holder.ts';
import { jsonText } from '../kit/json.ts';
import { parseListQuery } from '../kit/listing.ts';
import { openLogs } from '../kit/open-logs.ts';
import { readerOf } from '../kit/reader.ts';
import { cleanScratch, createConversation, removedPrefix } from './create-conversation.ts';
import { directoryLog } from './directory-log.ts';
import { withStorageErrors } from '../kit/disk-error.ts';
import { type Files, preserveMtime } from './layout/files.ts';
import type { Lease, LeaseOptions } from './lease.ts';
import { fileLinker, type LinkFile } from './layout/link-file.ts';
import { pathsOf } from './layout/paths.ts';
import { quarantineFiles } from './quarantine.ts';
import { SealWriter } from './seals/seal-writer.ts';
import { readLoss } from './read-loss.ts';
import { sealedOnce } from './seals/sealed-once.ts';
import { separateSeals } from './seals/separate-seals.ts';
import { dropSnapshots } from './snapshots.ts';
import { directorySource, type SharedLog, sharedLog } from './source.ts';
import { countSummaries, hasConversation, listSummaries, readSummary } from './summaries.ts';
import { takeAway } from './take-away.ts';
import { takeLease } from './take-lease.ts';
import type { OnWarning } from './layout/warnings.ts';

/** Options of `RootedStore`. */
export interface RootedStoreOptions {
  readonly files: Files;
  /** Absolute path. */
  readonly root: string;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly holder: Holder;
  readonly warn: OnWarning;
}

/** Event store in a root directory, over any file system. */
export class RootedStore implements EventStore {
  readonly #options: RootedStoreOptions;
  /** Scratch directory `.varve` of the root, for conversations being created or removed. */
  readonly #scratch: string;
  readonly #linkFile: LinkFile;
  readonly #closing = new AbortController();
  readonly #logs = openLogs();
  /** Shared state of the logs in use, so that a log and its readers list `events/` only once. */
  readonly #shared = new Map<string, WeakRef<SharedLog>>();
  #closed: Promise<void> | undefined;

  constructor(options: RootedStoreOptions) {
    this.#options = options;
    this.#scratch = join(options.root, '.varve');
    this.#linkFile = fileLinker(options.files, this.#scratch, options.warn);
  }

  async create(id: string, meta: Json, options?: Pick<Summary, 'owner'>): Promise<EventLog> {
    const lease = this.#leaseOptions(id);
    const metaText = jsonText('meta', meta);
    const owner = checkOwnerName(options);
    return this.#openLog({ id, purpose: 'append' }, async () => {
      if (hasConversation(lease.files, lease.paths)) {
        throw new StorageError('exists', `There is a conversation ${id} already.`);
      }
      return createConversation({ ...lease, root: this.#options.root, scratch: this.#scratch, metaText, owner });
    });
  }

  async open(id: string, { purpose = 'append', takeOver }: OpenOptions = {}): Promise<EventLog> {
    const options = this.#leaseOptions(id);
    return this.#openLog({ id, purpose }, async () => {
      this.#checkExists(id);
      const lease = takeLease({ ...options, takeOver });
      await lease.releaseOnError(async () => options.files.fsync(options.paths.own));
      return lease;
    });
  }

  async read(id: string): Promise<LogReader> {
    this.#check(id);
    return withStorageErrors(() => {
      this.#checkExists(id);
      return readerOf(directorySource(this.#share(id), this.#closing.signal));
    });
  }

  async list(query: ListQuery = {}): Promise<Page<Summary>> {
    this.#check();
    const { files, root } = this.#options;
    return withStorageErrors(() => listSummaries(files, root, parseListQuery(query)));
  }

  async count(query: CountQuery = {}): Promise<number> {
    this.#check();
    const { files, root } = this.#options;
    return withStorageErrors(() => countSummaries(files, root, query));
  }

  async summary(id: string): Promise<Summary> {
    this.#check(id);
    const { files, root } = this.#options;
    return withStorageErrors(() => readSummary(files, root, id) ?? missing(id));
  }

  directoryOf(id: string): string {
    checkId(id);
    return join(this.#options.root, id);
  }

  async facts(query: FactQuery): Promise<Page<Fact>> {
    return scanFacts(this, query);
  }

  async remove(id: string, condition: RemoveOptions = {}): Promise<void> {
    const { files, root } = this.#options;
    const options = this.#leaseOptions(id);
    const removed = join(this.#scratch, `${removedPrefix}${randomUUID()}`);
    return withStorageErrors(async () => {
      this.#checkExists(id);
      this.#checkScratch(id);
      const lease = takeLease(options);
      const shared = this.#share(id);
      try {
        checkExpectedMeta(id, condition, () => (readSummary(files, root, id) ?? missing(id)).meta);
        takeAway(files, options.paths, removed);
      } catch (error) {
        lease.release();
        throw error;
      }
      shared.index.markRemoved();
      shared.wake.fire(id);
      await files.fsync(root);
      cleanScratch(this.#options, this.#scratch);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    for (const shared of this.#shared.values()) shared.deref()?.wake.fireAll();
    await this.#logs.close();
  }

  #check(id?: string): void {
    checkStoreOpen(this.#closing.signal);
    if (id !== undefined) checkId(id);
  }

  #checkExists(id: string): void {
    const { files, root } = this.#options;
    if (!hasConversation(files, pathsOf(join(root, id)))) missing(id);
  }

  /** Creates the scratch directory. @throws {StorageError} `corrupt` for a link, which leads out of the store. */
  #checkScratch(id: string): void {
    const { files } = this.#options;
    if (files.isLink(this.#scratch))
      throw new StorageError('corrupt', `${this.#scratch} is a link, so conversation ${id} is not removed.`);
    files.makeDirectories(this.#scratch);
  }

  #leaseOptions(id: string): LeaseOptions {
    this.#check(id);
    const { root, ...options } = this.#options;
    return { ...options, id, paths: pathsOf(join(root, id)) };
  }

  #openLog(opened: Opening, takeOrCreate: () => Promise<Lease>): Promise<EventLog> {
    return this.#logs.open((onClose) =>
      withStorageErrors(async () => this.#recover(await takeOrCreate(), opened, onClose)),
    );
  }

  /**
   * Opens a log whose lease was just taken: moves files that a crash left to quarantine, and seals unsealed events.
   *
   * @throws {StorageError} `incomplete`, `unsealed`.
   */
  async #recover(lease: Lease, { id, purpose }: Opening, onClose: () => void): Promise<EventLog> {
    const { root, warn, ...options } = this.#options;
    const { files } = options;
    const paths = pathsOf(join(root, id));
    return lease.releaseOnError(async () => {
      if (!files.status(paths.events)) files.makeDirectory(paths.events);
      const shared = this.#share(id);
      // A file that was overwritten does not change the modification time of `events/`.
      shared.index.rescan();
      const loss = readLoss({ id, files, paths, index: shared.index }, lease.before);
      if (loss && purpose === 'append') throw new StorageError('incomplete', loss.message);
      if (!loss && shared.index.blockingFiles.length > 0) {
        // Opening must not change `updatedAt`: these files were never part of the log.
        await preserveMtime(files, paths.events, async () =>
          quarantineFiles({ files, paths, lease, warn }, shared.index.blockingFiles),
        );
        shared.index.rescan();
      }
      dropSnapshots({ files, paths }, shared.index.head);
      await separateSeals({ files, paths, lease });
      const once = sealedOnce({ files, paths, index: shared.index }, lease.before.sealed);
      const seals = new SealWriter({ ...options, id, paths, index: shared.index, sealedOnce: once });
      if (purpose === 'append') await seals.catchUp();
      const log = {
        ...options,
        id,
        purpose,
        paths,
        warn,
        lease,
        shared,
        seals,
        index: shared.index,
        linkFile: this.#linkFile,
        onClose,
      };
      return directoryLog(log);
    });
  }

  #share(id: string): SharedLog {
    const known = this.#shared.get(id)?.deref();
    if (known?.index.isAlive()) return known;
    const { files, root, pollMs, warn } = this.#options;
    const paths = pathsOf(join(root, id));
    const shared = sharedLog({ id, files, paths, pollMs, warn });
    this.#shared.set(id, new WeakRef(shared));
    return shared;
  }
}

/** A log to open. */
interface Opening extends Required<Pick<OpenOptions, 'purpose'>> {
  readonly id: string;
}

function missing(id: string): never {
  throw new StorageError('missing', `There is no conversation ${id}.`);
}
