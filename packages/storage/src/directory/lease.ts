import { join } from 'node:path';
import { StorageError } from '../contract/error.ts';
import { errnoOf } from '../kit/errno-of.ts';
import type { Holder } from '../kit/holder.ts';
import { type Claim, type ClaimLocation, epochDirectory, type OwnerLease, parseOwnerLease } from './lease-files.ts';

/** How leases of a conversation are held. */
export interface LeaseOptions extends ClaimLocation {
  readonly id: string;
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Who takes them. */
  readonly holder: Holder;
}

/**
 * The right to append, of the holder of one epoch.
 *
 * Whatever the holder puts into the conversation it writes into {@link stage} first and moves from there. Whoever takes
 * over moves that directory away, so that what is moved later finds nothing to move: there is no moment between looking
 * at the lease and using it.
 */
export class Lease {
  readonly epoch: number;
  /** A directory that is the holder's own. */
  readonly stage: string;
  readonly #options: LeaseOptions;
  readonly #instance: string;
  /** UTC milliseconds. */
  #until: number;
  /** Tells the lease file that was last seen to be ours. */
  #seen = '';
  #count = 0;

  /** Of a claim that lies in its place. */
  constructor(options: LeaseOptions, epoch: number, { instance, until }: Claim) {
    this.#options = options;
    this.epoch = epoch;
    this.#instance = instance;
    this.stage = join(epochDirectory(options.paths, epoch), instance);
    this.#until = until;
  }

  /** A new path in {@link stage}. */
  stagedPath(): string {
    this.#count += 1;
    return join(this.stage, `${this.#count}`);
  }

  /**
   * Fails when the lease was taken over, and renews it when it is due.
   *
   * @throws {StorageError} `fenced`.
   */
  check(): void {
    const { leaseMs, now } = this.#options;
    if (this.#isNotOwner() || this.#until - now() < leaseMs / 2) this.write();
  }

  /** @throws {StorageError} `fenced`. */
  renew(): void {
    this.#isNotOwner();
    this.write();
  }

  /** Writes the lease over whatever lease there is. @throws {StorageError} `fenced` when the epoch is over. */
  write(): void {
    const { files, paths, leaseMs, now, holder } = this.#options;
    const until = now() + leaseMs;
    const lease: OwnerLease = {
      owner_instance_id: this.#instance,
      generation: this.epoch,
      expires_at: until / 1000,
      owner_host: holder.host,
      owner_pid: holder.pid,
    };
    this.replace(paths.ownerLease, JSON.stringify(lease));
    this.#until = until;
    this.#seen = mark(files.status(paths.ownerLease));
  }

  /** Writes a file anew, in one act; a power failure may empty it. @throws {StorageError} `fenced`. */
  replace(path: string, text: string): void {
    const staged = this.stagedPath();
    this.unlessFenced(() => {
      this.#options.files.write(staged, text);
      this.#options.files.rename(staged, path);
    });
  }

  /** Does what moves files out of or into {@link stage}. @throws {StorageError} `fenced` when the stage is gone. */
  unlessFenced<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' && !this.#options.files.status(this.stage)) throw this.#fenced(error);
      throw error;
    }
  }

  /** Does work, and gives the lease back when that fails: nobody would hold it then, and all would wait for its end. */
  async releaseOnError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Gives the lease back. One that cannot be given back runs out. */
  release(): void {
    const { files, paths } = this.#options;
    try {
      files.write(join(this.stage, 'released'), '');
      if (!this.#isNotOwner()) files.rename(paths.ownerLease, this.stagedPath());
    } catch (error) {
      if (errnoOf(error) === undefined && !(error instanceof StorageError)) throw error;
    }
  }

  /** Whether the lease file is none. @throws {StorageError} `fenced` when it is somebody else's. */
  #isNotOwner(): boolean {
    const { files, paths } = this.#options;
    const seen = mark(files.status(paths.ownerLease));
    if (seen === this.#seen && seen !== '') return false;
    const lease = parseOwnerLease(files.read(paths.ownerLease));
    if (!lease) return true;
    if (lease.owner_instance_id !== this.#instance) throw this.#fenced();
    this.#seen = seen;
    return false;
  }

  #fenced(cause?: unknown): StorageError {
    const { id } = this.#options;
    return new StorageError('fenced', `Conversation ${id} was taken over from epoch ${this.epoch}.`, { cause });
  }
}

function mark(status: { readonly identity: string; readonly modifiedNs: bigint } | undefined): string {
  return status ? `${status.identity} ${status.modifiedNs}` : '';
}
